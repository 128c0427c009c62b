#pragma once

#include <cstdint>

#include "harness/core/bytes.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// What width_divisor and depth_divisor change of a transformer: heads keep their dimension, so the
/// width follows their number.
struct TransformerSize {
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;

  TransformerSize divided(const ModelVariant& variant) const;
};

/// softmax(q k^T / sqrt(d)) v by the kernel that the plan chose, and the heads put side by side.
/// query: [batch, heads, tokens, d]; key and value the same, or with a divisor of its heads, each
/// of which then serves several in a row of query's. -> [batch, tokens, heads d].
at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  bool causal);

namespace closed_forms {

/// Whether the forms of transformers hold under this plan: as hold() of closed_forms.hpp, and in 16
/// bits throughout, narrower or shallower, with wrapped parts, a chunked loss, or another attention
/// kernel; not for the math kernel under autocast.
bool transformer_forms_hold(const StepPlan& plan);

/// What the core of attention keeps beside query, key, value and context: a log-sum-exp for each
/// head and token, and of the 16-bit kernels the state of their dropout; or the probabilities of
/// the math kernel. Nothing where it is wrapped.
Bytes attention_core(Bytes samples, Bytes heads, Bytes tokens, const StepPlan& plan,
                     at::Device device);

/// What layers keep that the plan wraps as a whole, each or several as one: the input of each, with
/// the state of the random generators, and that state once more for each part wrapped inside.
Bytes wrapped_layers(Bytes layers, Bytes samples, Bytes tokens, Bytes width, const StepPlan& plan,
                     at::Device device);

/// Random state held by the parts of a layer that the plan wraps.
Bytes wrapped_parts(const StepPlan& plan, at::Device device);

}  // namespace closed_forms
}  // namespace highwater
