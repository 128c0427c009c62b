#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "leaked_log",
    .summary =
        "the anti-pattern of logging: a running total of validation losses with their graphs",
    // Every step keeps the activations of one forward; with a full batch some cards are full soon.
    .scenario = "small",
    .when = "never: validation ran with gradients on, so total += loss keeps all activations of "
            "every step. A total of losses that backward went through costs next to nothing, "
            "because backward has freed what their graphs had saved",
    .cost = "the activations of one forward a step",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch FAQ: don't accumulate history across your training loop; pytorch issues "
              "1111, 1346 and 64586",
    .tags = {"full"},
    .leaks = true,
    .edit = [](StepPlan& plan) { plan.loss_log = LossLog::attached_total; },
});

}  // namespace
}  // namespace highwater
