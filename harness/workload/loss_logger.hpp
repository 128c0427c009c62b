#pragma once

#include "harness/workload/batch.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// What a training loop keeps of its steps, as a plan's LossLog says.
class LossLogger {
 public:
  explicit LossLogger(LossLog what) : what_(what) {}

  /// Whether each step also evaluates a validation loss for it.
  bool wants_validation() const;
  bool wants_outputs() const { return what_ == LossLog::stored_outputs; }
  /// Whether a graph that backward went through must still be whole.
  bool retains_graphs() const { return what_ == LossLog::retained_graphs; }

  void add_training(const at::Tensor& loss, Tensors outputs);
  void add_validation(const at::Tensor& loss);

 private:
  LossLog what_;
  at::Tensor total_;
  Tensors kept_;
};

}  // namespace highwater
