#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <memory>
#include <string>
#include <vector>

#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/segment.hpp"

namespace highwater {

/// A segment with all that it takes to run it a second time and compute the same: its inputs, and
/// the state of the random generators and of autocast at the moment this was made.
class SegmentReplay {
 public:
  /// Inputs are saved as autograd saves tensors, so the hooks in force apply to them.
  SegmentReplay(Segment segment, const Tensors& inputs);

  const std::string& name() const { return segment_.name; }

  /// The inputs as leaves of a graph of their own.
  /// @param saved_for the node that holds this, where one does
  /// @throws c10::Error where an input was modified in place since, or was released.
  Tensors inputs(const std::shared_ptr<torch::autograd::Node>& saved_for = nullptr) const;

  /// Runs the segment on what inputs() returned, recording a graph, in the state of then; the
  /// generators are put back after it. Running statistics stand still (recompute.hpp).
  Tensors run(const Tensors& inputs) const;

  /// Drops the inputs and the generators' state: it cannot be run any more.
  void release();

 private:
  Segment segment_;
  at::Device device_;
  RandomState random_;
  AutocastState autocast_;
  AutocastState cpu_autocast_;
  std::vector<torch::autograd::SavedVariable> inputs_;
  std::vector<bool> needs_gradient_;
};

}  // namespace highwater
