#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "recompute_swiglu",
    .summary = "keep gate and up of every SwiGLU only, and recompute silu(gate) and the product",
    .relieves = "saved_activations",
    .when = "as recompute_gelu, in models with a gated activation: two of four hidden widths",
    .cost = "two elementwise kernels a layer",
    .needs = {"silu"},
    .numerics = NumericsClass::bit_equal,
    .source = "recompute_gelu's idea (llm.c) on SwiGLU, Shazeer 2020; xFormers' fused SwiGLU keeps "
              "as little",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.activation_wrap = std::make_shared<Checkpoint>(); },
    // 8 d of 24 d elements a token and layer, and the logits beside them.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 4);
        },
});

}  // namespace
}  // namespace highwater
