#include "harness/workload/segment_chain.hpp"

#include <cmath>

#include "harness/measure/operation_trace.hpp"

namespace highwater {
namespace {

/// Each segment as a module scope, wherever it runs.
std::vector<Segment> scoped(std::vector<Segment> segments) {
  for (Segment& segment : segments) {
    segment.run = [name = segment.name, run = std::move(segment.run)](const Tensors& tensors) {
      const ModuleScope scope(name);
      return run(tensors);
    };
  }
  return segments;
}

std::vector<Segment> grouped(std::vector<Segment> segments, SegmentGrouping grouping) {
  if (grouping == SegmentGrouping::each) return segments;
  const auto count = std::ranges::count_if(segments, &Segment::recomputable);
  const auto length = std::ceil(std::sqrt(static_cast<double>(count)));
  return merge_recomputable(std::move(segments), static_cast<std::int64_t>(length));
}

}  // namespace

SegmentChain::SegmentChain(Model& model, const StepPlan& plan)
    : segments_(grouped(scoped(model.segments()), plan.segment_grouping)),
      wrap_(plan.segment_wrap) {}

Tensors SegmentChain::run(Tensors tensors) const {
  for (const Segment& segment : segments_) {
    const bool wrapped = wrap_ != nullptr && segment.recomputable;
    tensors = wrapped ? wrap_->run(segment, tensors) : segment.run(tensors);
  }
  return tensors;
}

}  // namespace highwater
