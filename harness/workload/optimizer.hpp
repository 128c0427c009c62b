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
};

/// LibTorch's own AdamW: a loop over parameters, state made at the first step, temporaries of twice
/// the largest parameter. betas 0.9 and 0.999, eps 1e-8, weight decay 0.01.
OptimizerChoice adamw(double learning_rate = 1e-3);

}  // namespace highwater
