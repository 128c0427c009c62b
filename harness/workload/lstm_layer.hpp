#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <torch/nn/module.h>

#include "harness/workload/batch.hpp"

namespace highwater {

/// One LSTM layer with PyTorch's parameters and initialisation, computed by LibTorch's own cells,
/// that goes on in every step from the state in which the step before ended. States are buffers,
/// which outlive a step; each part of a batch has its own.
class LstmLayer final : public torch::nn::Module {
 public:
  /// @param attached_state whether states keep the graph that made them
  LstmLayer(std::int64_t width, bool attached_state, at::Device device);

  /// x: [tokens, batch, width] -> the same shape. A segment that is recomputed in backward begins
  /// where forward began. Parts may become smaller from one step to the next; they then share the
  /// state of the larger ones.
  /// @param first_sample of the part of the batch that x belongs to
  at::Tensor forward(const at::Tensor& x, std::int64_t first_sample);

  /// Hidden and cell state that the next step begins with, by first sample of a part.
  using Carried = std::map<std::int64_t, Tensors>;
  Carried carried() const;
  void carry_on(const Carried& carried);

 private:
  struct State {
    Tensors before;
    Tensors after;
    Tensors shown;  ///< buffers of the module with the memory of all four

    void forget();
  };

  Tensors beginning(const State& state, const at::Tensor& x, std::int64_t first_sample);
  void join_parts();
  void show(State& state, const std::string& part);
  at::Tensor handed_on(const at::Tensor& state) const;

  bool attached_state_;
  Tensors weights_;
  std::map<std::int64_t, State> states_;
  Tensors whole_;  ///< state of the whole batch, while it is split anew
};

}  // namespace highwater
