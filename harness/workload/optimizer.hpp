#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"

namespace highwater {

/// An optimizer whose state can be counted.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Called once before each update with the parameters that backward gave gradients to. Returns
  /// the tensors whose gradients step() will read, for a scaler to unscale and a limit to clip: the
  /// parameters themselves, unless the optimizer keeps masters of them in another precision.
  virtual std::vector<at::Tensor> take_gradients(const std::vector<at::Tensor>& parameters) {
    return parameters;
  }
  /// Updates every parameter that has a gradient.
  virtual void step() = 0;
  /// Every tensor the optimizer keeps between steps; empty before the first step where it is lazy.
  virtual std::vector<at::Tensor> state_tensors() const = 0;
};

struct OptimizerChoice {
  std::string name;
  std::function<std::unique_ptr<Optimizer>(std::vector<at::Tensor> parameters)> make;
  /// Bytes of state on the parameter's device that are kept for one parameter: for AdamW, two
  /// moments of its size.
  std::function<Bytes(const at::Tensor& parameter)> state_bytes;
  /// Requested bytes that an update of these parameters takes beside state and gradients and frees
  /// again, at its highest, on a GPU; null where no closed form is known.
  std::function<Bytes(const std::vector<at::Tensor>& parameters)> temporary_bytes = nullptr;
};

/// Bytes of the largest of them: what an optimizer that goes from one to the next takes for one
/// temporary.
Bytes largest_bytes(const std::vector<at::Tensor>& tensors);

/// LibTorch's own AdamW: a loop over parameters, state made at the first step, temporaries of twice
/// the largest parameter. betas 0.9 and 0.999, eps 1e-8, weight decay 0.01.
OptimizerChoice adamw(double learning_rate = 1e-3);

/// LibTorch's own SGD: no state, or with momentum one buffer of the parameter's size; no
/// temporaries.
OptimizerChoice sgd(double learning_rate, double momentum = 0.0);

}  // namespace highwater
