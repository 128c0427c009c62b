#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "data_parallel",
    .summary = "half of the batch on each of two devices of one process, replicas made anew in "
               "every forward",
    .relieves = "saved_activations",
    .when = "hardly: one process for each device shares no outputs and copies no parameters. It "
            "shows why: the first device holds the gathered outputs and all optimizer state",
    .cost = "all parameters are copied to the second device in every forward (replica_bytes) and "
            "all gradients back",
    .moves_bytes_elsewhere = true,
    .numerics = NumericsClass::tolerance,
    // Summing the gradients of two halves rounds differently.
    .tolerance = 1e-5,
    .source = "PyTorch documentation, torch.nn.DataParallel; pytorch issues 19540 and 40581",
    .tags = {"full"},
    // Updates would come before the second device's gradients.
    .excludes = {"optimizer_in_backward"},
    .edit = [](StepPlan& plan) { plan.devices = 2; },
    // Half of what does not hang on the gathered outputs: of a language model with a large
    // vocabulary that is little.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "activations_after_forward_bytes", 8);
        },
});

}  // namespace
}  // namespace highwater
