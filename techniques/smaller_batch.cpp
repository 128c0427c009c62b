#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "smaller_batch",
    .summary = "half the samples a step: another optimisation, with half the activations",
    .relieves = "saved_activations",
    .when = "activations are most of the peak and the smaller batch is acceptable; "
            "gradient_accumulation keeps the batch",
    .cost = "another effective batch; kernels that fill the GPU less",
    .numerics = NumericsClass::different_by_design,
    .source =
        "Raschka 2023, Optimizing memory usage for training in PyTorch: ViT-L/16 from batch 64 to "
        "16 went from 13.82 to 5.69 GB",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.batch_divisor = 2; },
    // Half of what grows with the batch; statistics of batch norms and weight copies do not.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
