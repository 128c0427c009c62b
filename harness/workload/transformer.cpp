#include "harness/workload/transformer.hpp"

#include <algorithm>

#include "harness/workload/closed_forms.hpp"

namespace highwater {

TransformerSize TransformerSize::divided(const ModelVariant& variant) const {
  const std::int64_t kept = std::max<std::int64_t>(1, heads / variant.width_divisor);
  return {.layers = std::max<std::int64_t>(1, layers / variant.depth_divisor),
          .width = width / heads * kept,
          .heads = kept};
}

namespace {

/// [b, groups, t, d] -> [b, heads, t, d]; a copy, since the memory-efficient kernel knows no
/// groups.
at::Tensor repeated(const at::Tensor& x, std::int64_t heads) {
  const std::int64_t times = heads / x.size(1);
  if (times == 1) return x;
  return x.unsqueeze(2).expand({-1, -1, times, -1, -1}).flatten(1, 2);
}

}  // namespace

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  bool causal) {
  const at::Tensor context = at::scaled_dot_product_attention(
      query, repeated(key, query.size(1)), repeated(value, query.size(1)), /*attn_mask=*/{},
      /*dropout_p=*/0.0, causal);
  return context.transpose(1, 2).reshape({query.size(0), query.size(2), -1});
}

namespace closed_forms {
namespace {

/// The memory-efficient kernel of a GPU pads a head's row of log-sum-exps to a multiple of 32.
Bytes log_sum_exps(Bytes tokens, const StepPlan& plan, at::Device device) {
  const bool pads = plan.attention == AttentionKernel::efficient && !device.is_cpu();
  return (pads ? (tokens + 31) / 32 * 32 : tokens) * kFloat;
}

/// Seed and offset lie on the host for the memory-efficient kernel, on the device for the others;
/// the flash kernel returns an unused third.
Bytes dropout_state(const StepPlan& plan, at::Device device) {
  constexpr Bytes kNumber = 8;
  if (device.is_cpu()) return 0;
  if (plan.attention == AttentionKernel::flash) return 3 * kNumber;
  return plan.attention == AttentionKernel::cudnn ? 2 * kNumber : 0;
}

}  // namespace

bool transformer_forms_hold(const StepPlan& plan) {
  if (plan.attention == AttentionKernel::math && plan.autocast) return false;
  return hold(plan, {"dtype", "segment_grouping", "attention", "model.attention_wrap",
                     "model.activation_wrap", "model.loss_chunks", "model.width_divisor",
                     "model.depth_divisor"});
}

Bytes attention_core(Bytes samples, Bytes heads, Bytes tokens, const StepPlan& plan,
                     at::Device device) {
  if (plan.variant.attention_wrap != nullptr) return 0;
  const Bytes head = plan.attention == AttentionKernel::math ? tokens * tokens * element(plan)
                                                             : log_sum_exps(tokens, plan, device);
  return samples * heads * head + dropout_state(plan, device);
}

Bytes wrapped_parts(const StepPlan& plan, at::Device device) {
  const Bytes parts = (plan.variant.attention_wrap != nullptr ? 1 : 0) +
                      (plan.variant.activation_wrap != nullptr ? 1 : 0);
  return parts * checkpoint_random_state(device);
}

Bytes wrapped_layers(Bytes layers, Bytes samples, Bytes tokens, Bytes width, const StepPlan& plan,
                     at::Device device) {
  const Bytes input = samples * tokens * width * resident(plan) + checkpoint_random_state(device);
  return wrapped_segments(layers, plan) * input + layers * wrapped_parts(plan, device);
}

}  // namespace closed_forms
}  // namespace highwater
