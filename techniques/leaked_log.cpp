#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "leaked_log",
    .summary = "the anti-pattern of logging: a running total of losses that keep their graphs",
    .when = "never: every step adds its loss and the nodes of its graph to the total",
    .cost = "one block a step; backward already released what the graph had saved",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch FAQ; pytorch issues 1111, 1346 and 64586",
    .tags = {"full"},
    .leaks = true,
    .edit = [](StepPlan& plan) { plan.loss_log = LossLog::attached_total; },
});

}  // namespace
}  // namespace highwater
