#pragma once

#include "harness/workload/segment.hpp"

namespace highwater {

/// Activation checkpointing, the non-reentrant form: a segment keeps its inputs, the state of the
/// random generators and of autocast, and drops everything autograd saved inside it; the first
/// saved tensor that backward asks for runs the segment again, up to the last one needed.
///
/// Gradients are bit-equal to the plain run, dropout included, as long as the segment's function is
/// deterministic given the generators' state. Works with inputs that need no gradient, under
/// torch::autograd::grad, and nested: inputs are saved through the hooks around the segment, so an
/// outer checkpoint drops them too. Running statistics do not move in the second run.
///
/// @throws InternalError in backward where the second run saves fewer tensors than the first, or
/// others; c10::Error where an input was modified in place since.
class Checkpoint final : public SegmentWrap {
 public:
  std::string name() const override { return "checkpoint"; }
  bool keeps_only_inputs() const override { return true; }
  Tensors run(const Segment& segment, const Tensors& inputs) const override;
};

}  // namespace highwater
