#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

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
/// another batch). `also` names further fields, as describe() does, that the model's own form
/// accounts for.
inline bool hold(const StepPlan& plan, const std::vector<std::string_view>& also = {}) {
  // What these say is either counted by the forms below or changes nothing that forward keeps.
  constexpr std::array<std::string_view, 15> kCounted = {"gradient_bucketing",
                                                         "autocast",
                                                         "empties_cache",
                                                         "allocator_settings",
                                                         "gradient_clip",
                                                         "gradient_reset",
                                                         "loss_log",
                                                         "gradient_scaler",
                                                         "micro_batches",
                                                         "mode",
                                                         "optimizer",
                                                         "segment_wrap",
                                                         "update",
                                                         "oom_retry",
                                                         "model.batch_divisor"};
  const auto understood = [&](const std::string& field) {
    return std::ranges::find(kCounted, field) != kCounted.end() ||
           std::ranges::find(also, field) != also.end();
  };
  return std::ranges::all_of(differing_fields(StepPlan{}, plan), understood) &&
         plan.loss_log != LossLog::stored_outputs && !(plan.autocast && plan.dtype != at::kFloat) &&
         (plan.segment_wrap == nullptr || plan.segment_wrap->keeps_only_inputs());
}

/// Bytes of an element that autocast leaves alone: the residual stream, inputs of norms, the loss.
inline Bytes resident(const StepPlan& plan) {
  return static_cast<Bytes>(c10::elementSize(plan.dtype));
}

/// Bytes of an element that a linear or convolution layer keeps: its input, cast where needed.
inline Bytes element(const StepPlan& plan) { return plan.autocast ? kHalf : resident(plan); }

/// Bytes that are kept of a weight element for backward beside the weight itself: under autocast
/// its 16-bit copy, where the layer's input needs a gradient.
inline Bytes weight_copy(const StepPlan& plan) { return plan.autocast ? kHalf : 0; }

/// Wrapped segments that `count` recomputable ones in a row make.
inline std::int64_t wrapped_segments(std::int64_t count, const StepPlan& plan) {
  if (plan.segment_grouping == SegmentGrouping::each) return count;
  const auto length = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  return (count + length - 1) / length;
}

/// Samples whose activations are alive at the end of a step's last forward.
inline std::int64_t last_samples(std::int64_t batch, const StepPlan& plan) {
  return size_of_last_part(batch, plan.micro_batches);
}

/// What cross_entropy keeps: the log-softmax of all logits in fp32, the loss and the total weight.
/// Under autocast a GPU takes the log-softmax in 16 bits, keeps it, and keeps its fp32 copy too;
/// the CPU casts the logits first (seen on 2.11: its log_softmax has no entry in CUDA's fp32 list).
inline Bytes cross_entropy(Bytes rows, Bytes classes, const StepPlan& plan, at::Device device) {
  const Bytes half = plan.autocast && !device.is_cpu() ? kHalf : 0;
  return rows * classes * (resident(plan) + half) + 2 * resident(plan);
}

/// Mean and reciprocal deviation of one normalised row (layer_norm) or channel (batch_norm).
constexpr Bytes kNormStatistics = 2 * kFloat;

/// The same of layer_norm in a 16-bit model: a GPU takes them in fp32, the CPU in the model's type.
inline Bytes norm_statistics(const StepPlan& plan, at::Device device) {
  return device.is_cpu() ? 2 * resident(plan) : kNormStatistics;
}

/// Generator state held by one checkpointed segment, which lies on the host.
inline Bytes checkpoint_random_state(at::Device device) {
  return device.is_cpu() ? RandomState::kCpuBytes : 0;
}

}  // namespace highwater::closed_forms
