#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "detached_log",
    .summary = "a running total of detached losses, as a training loop prints it",
    .when = "always, in place of leaked_log: loss.detach(), or loss.item() where waiting for the "
            "device "
            "does not matter",
    .cost = "one scalar",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch FAQ: don't accumulate history across your training loop",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.loss_log = LossLog::detached_total; },
});

}  // namespace
}  // namespace highwater
