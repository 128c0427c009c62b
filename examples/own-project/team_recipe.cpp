// A technique of your own: what the team trains with, as one name.

#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace {

using namespace highwater;

const RegisterTechnique registered({
    .name = "team_recipe",
    .summary = "bf16 autocast, every block recomputed in backward, gradients released",
    .relieves = "saved_activations",
    .when = "always: it is what the team trains with",
    .cost = "a second forward of every block in each step; 8 bits of mantissa",
    .numerics = NumericsClass::tolerance,
    // bf16 has 8 bits: one rounding is 4e-3 of a value, and gradients sum many.
    .tolerance = 1e-1,
    .source = "the team's own decision",
    .edit =
        [](StepPlan& plan) {
          plan.autocast = Autocast{.dtype = at::kBFloat16};
          plan.segment_wrap = std::make_shared<Checkpoint>();
          plan.gradient_reset = GradientReset::set_to_none;
        },
    // The gate fails when it saves less than half of what baseline is predicted to keep.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 2);
        },
});

}  // namespace
