#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "recompute_gelu",
    .summary = "keep the input of every GELU only, and recompute its output for the next layer",
    .relieves = "saved_activations",
    .when = "always, where activations are the peak: 4 h of a layer's 16 h for next to no work",
    .cost = "one elementwise kernel a layer",
    .needs = {"gelu"},
    .numerics = NumericsClass::bit_equal,
    .source = "llm.c, its default recomputation: 12 h of 16 h elements a token and layer",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.activation_wrap = std::make_shared<Checkpoint>(); },
    // 16 h of 66 h + 9 a s bytes in BERT-large at 512 tokens, where a s is 8 h: the least of all.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 10);
        },
});

}  // namespace
}  // namespace highwater
