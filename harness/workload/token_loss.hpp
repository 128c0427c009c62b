#pragma once

#include <cstdint>

#include "harness/core/bytes.hpp"
#include "harness/workload/segment.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// The end of a language model: rows of hidden states, through an output layer, to the mean cross
/// entropy with one target each. In chunks, each under Checkpoint, only one chunk's logits are
/// alive at a time, in forward and in backward.
class TokenLoss {
 public:
  /// @param logits rows [n, width] -> [n, classes]
  TokenLoss(TensorFunction logits, std::int64_t chunks)
      : logits_(std::move(logits)), chunks_(chunks) {}

  /// What the model returns for its hidden rows: logits, or with several chunks the rows
  /// themselves.
  at::Tensor outputs(const at::Tensor& rows) const { return chunks_ == 1 ? logits_(rows) : rows; }
  /// @param targets int64 [n]
  at::Tensor loss(const at::Tensor& outputs, const at::Tensor& targets) const;

 private:
  TensorFunction logits_;
  std::int64_t chunks_;
};

namespace closed_forms {

/// What output layer and loss keep for `rows`: the layer's input among it, its targets not.
Bytes token_loss(Bytes rows, Bytes width, Bytes classes, const StepPlan& plan, at::Device device);

}  // namespace closed_forms
}  // namespace highwater
