#pragma once

#include "harness/core/bytes.hpp"
#include "harness/workload/batch.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater::closed_forms {

/// Building blocks of the byte-exact activation forms. All sizes are requested bytes; e = 4 (fp32).

constexpr Bytes kFloat = 4;

/// Whether the forms here hold under this plan: fp32, and segments run plainly or keep their
/// inputs.
inline bool hold(const StepPlan& plan) {
  return !plan.autocast && (plan.segment_wrap == nullptr || plan.segment_wrap->keeps_only_inputs());
}

/// Samples whose activations are alive at the end of a step's last forward.
inline std::int64_t last_samples(std::int64_t batch, const StepPlan& plan) {
  return size_of_last_part(batch, plan.micro_batches);
}

/// What cross_entropy keeps: the log-softmax of all logits, the loss and the total weight.
constexpr Bytes cross_entropy(Bytes rows, Bytes classes) {
  return rows * classes * kFloat + 2 * kFloat;
}

/// Mean and reciprocal deviation of one normalised row (layer_norm) or channel (batch_norm).
constexpr Bytes kNormStatistics = 2 * kFloat;

/// Generator state held by one checkpointed segment, which lies on the host.
inline Bytes checkpoint_random_state(at::Device device) {
  return device.is_cpu() ? RandomState::kCpuBytes : 0;
}

}  // namespace highwater::closed_forms
