#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/workload/optimizer.hpp"
#include "harness/workload/segment.hpp"

namespace highwater {

/// Mixed precision of forward and loss.
struct Autocast {
  at::ScalarType dtype = at::kHalf;
  /// Scale the loss so that small fp16 gradients do not flush to zero.
  bool gradient_scaler = true;
};

/// How gradients are cleared at the start of a step.
enum class GradientReset { zero_fill, set_to_none };

/// How one training step is run. The default is the baseline; a technique edits fields of it, and
/// the step runner obeys the fields without knowing any technique.
struct StepPlan {
  /// Parts a batch is split into; gradients accumulate over them, the effective batch is unchanged.
  std::int64_t micro_batches = 1;
  std::optional<Autocast> autocast;
  /// Applied to recomputable segments; null runs them plainly.
  std::shared_ptr<const SegmentWrap> segment_wrap;
  GradientReset gradient_reset = GradientReset::zero_fill;
  OptimizerChoice optimizer = adamw();
};

/// Text of every field by name: what a technique edits is what differs here from the default plan.
std::map<std::string, std::string> describe(const StepPlan& plan);

/// Names of the fields in which two plans differ, sorted.
std::vector<std::string> differing_fields(const StepPlan& a, const StepPlan& b);

}  // namespace highwater
