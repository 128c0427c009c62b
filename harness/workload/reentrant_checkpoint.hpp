#pragma once

#include "harness/workload/segment.hpp"

namespace highwater {

/// Activation checkpointing, the reentrant form, as torch.utils.checkpoint(use_reentrant=True): a
/// segment runs without a graph, and backward runs it again with one and calls backward on that,
/// from inside the outer backward. All of a segment's activations are alive at once then, where
/// Checkpoint hands them out one by one; nothing of them is shared with what forward kept.
///
/// Gradients are bit-equal to the plain run, dropout included; under autocast but for a weight that
/// is used outside of the segment too, whose 16-bit gradients a plain run sums before it widens
/// them. Parameters get gradients though no input needs one: the node that stands for the segment
/// in the graph is there in any case (Python's is not). Nested, an inner segment runs three times.
/// Running statistics move once.
///
/// @throws InternalError in backward where torch::autograd::grad asked for it: the inner backward
/// cannot know which gradients are wanted; c10::Error where an input was modified in place since.
class ReentrantCheckpoint final : public SegmentWrap {
 public:
  std::string name() const override { return "reentrant_checkpoint"; }
  bool keeps_only_inputs() const override { return true; }
  Tensors run(const Segment& segment, const Tensors& inputs) const override;
};

}  // namespace highwater
