#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "checkpoint_attention",
    .summary = "keep query, key and value and recompute the core of attention in backward",
    .relieves = "saved_activations",
    .when =
        "attention is eager and the sequence long: its probabilities, masks and dropped-out copy "
        "are most of what a layer keeps. A fused kernel already keeps only log-sum-exps; there "
        "it saves these, and the repeated heads of grouped keys and values",
    .cost = "the two products and the softmax of attention once more: 2.7 % of GPT-3's work",
    .needs = {"attention"},
    .numerics = NumericsClass::bit_equal,
    .source =
        "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models: "
        "70 % of GPT-3's activations",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.attention_wrap = std::make_shared<Checkpoint>(); },
    // At the least the log-sum-exps: 4 bytes a head and token beside 16 widths of 64 a head, and
    // GPT-2 small's logits and log-softmax, which are a quarter of it all.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 2048);
        },
});

}  // namespace
}  // namespace highwater
