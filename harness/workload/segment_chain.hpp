#pragma once

#include <vector>

#include "harness/workload/model.hpp"
#include "harness/workload/segment.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// The segments of one model, run in order as a plan says: grouped, and each wrapped or plain.
class SegmentChain {
 public:
  /// The model must outlive the chain.
  SegmentChain(Model& model, const StepPlan& plan);
  Tensors run(Tensors tensors) const;

 private:
  std::vector<Segment> segments_;
  std::shared_ptr<const SegmentWrap> wrap_;
};

}  // namespace highwater
