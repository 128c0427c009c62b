#pragma once

#include <cstdint>

#include "harness/core/bytes.hpp"
#include "harness/workload/batch.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater::closed_forms {

/// Building blocks of the byte-exact activation forms. All sizes are requested bytes.

constexpr Bytes kFloat = 4;
constexpr Bytes kHalf = 2;

/// Whether the forms here hold under this plan: fp32 or autocast to a 16-bit type, segments run
/// plainly or each keeps nothing but its inputs, and the model is built as published (or with
/// another batch).
inline bool hold(const StepPlan& plan) {
  std::map<std::string, std::string> variant = describe(plan.variant);
  variant.erase("batch_divisor");
  std::map<std::string, std::string> published = describe(ModelVariant{});
  published.erase("batch_divisor");
  return variant == published && plan.dtype == at::kFloat && plan.packing == nullptr &&
         plan.attention == AttentionKernel::efficient &&
         plan.segment_grouping == SegmentGrouping::each &&
         plan.loss_log != LossLog::stored_outputs &&
         (plan.segment_wrap == nullptr || plan.segment_wrap->keeps_only_inputs());
}

/// Bytes of an element that a linear or convolution layer keeps: its input, cast where needed.
inline Bytes element(const StepPlan& plan) { return plan.autocast ? kHalf : kFloat; }

/// Bytes that are kept of a weight element for backward beside the weight itself: under autocast
/// its 16-bit copy, where the layer's input needs a gradient.
inline Bytes weight_copy(const StepPlan& plan) { return plan.autocast ? kHalf : 0; }

/// Samples whose activations are alive at the end of a step's last forward.
inline std::int64_t last_samples(std::int64_t batch, const StepPlan& plan) {
  return size_of_last_part(batch, plan.micro_batches);
}

/// What cross_entropy keeps: the log-softmax of all logits in fp32, the loss and the total weight.
/// Under autocast a GPU takes the log-softmax in 16 bits, keeps it, and keeps its fp32 copy too;
/// the CPU casts the logits first (seen on 2.11: its log_softmax has no entry in CUDA's fp32 list).
inline Bytes cross_entropy(Bytes rows, Bytes classes, const StepPlan& plan, at::Device device) {
  const Bytes half = plan.autocast && !device.is_cpu() ? kHalf : 0;
  return rows * classes * (kFloat + half) + 2 * kFloat;
}

/// Mean and reciprocal deviation of one normalised row (layer_norm) or channel (batch_norm).
constexpr Bytes kNormStatistics = 2 * kFloat;

/// Generator state held by one checkpointed segment, which lies on the host.
inline Bytes checkpoint_random_state(at::Device device) {
  return device.is_cpu() ? RandomState::kCpuBytes : 0;
}

}  // namespace highwater::closed_forms
