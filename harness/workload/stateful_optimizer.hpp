#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/workload/optimizer.hpp"

namespace highwater {

/// A trained parameter and what an optimizer keeps of it between steps.
struct ParameterState {
  at::Tensor parameter;
  std::vector<at::Tensor> tensors;  ///< made at its first gradient
  std::int64_t step = 0;            ///< its updates, from 1 when the first is made

  const at::Tensor& gradient() const { return parameter.grad(); }
};

/// The parameters of one update: those that have a gradient.
using DueParameters = std::vector<ParameterState*>;

/// An optimizer written as what it keeps and what it does. Both run without recording a graph.
struct UpdateRule {
  std::function<std::vector<at::Tensor>(const at::Tensor& parameter)> initial_state;
  /// Changes parameters and state in place.
  std::function<void(const DueParameters& due)> update;
};

/// For OptimizerChoice::make. A parameter without a gradient is skipped and its steps do not count.
std::function<std::unique_ptr<Optimizer>(std::vector<at::Tensor>)> optimizer_of(UpdateRule rule);

/// For UpdateRule::update: one parameter after the other.
std::function<void(const DueParameters&)> one_by_one(std::function<void(ParameterState&)> update);

/// For operators that take lists: `part` of each.
template <class Part>
std::vector<at::Tensor> list(const DueParameters& due, Part part) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(due.size());
  for (const ParameterState* state : due) tensors.push_back(part(*state));
  return tensors;
}

}  // namespace highwater
