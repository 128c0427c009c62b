#include "harness/workload/checkpoint.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "activation_checkpointing",
    .summary = "keep only the inputs of each segment and recompute its inside in backward",
    .relieves = "saved_activations",
    .when = "activations are most of the peak, and a step may take longer",
    .cost = "a second forward of every segment in each step",
    .numerics = NumericsClass::bit_equal,
    .source = "Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost",
    .tags = {"default", "smoke", "full"},
    .edit = [](StepPlan& plan) { plan.segment_wrap = std::make_shared<Checkpoint>(); },
    // Of the four models the one that keeps most is gpt2-small: its head is not recomputed.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
