#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "detached_log",
    .summary = "a running total of detached validation losses",
    .scenario = "small",
    .when = "always, in place of leaked_log: loss.detach(), or loss.item() where waiting for the "
            "device does not matter; better still, validate under no_grad",
    .cost = "one scalar, and the validation itself",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch FAQ: don't accumulate history across your training loop",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.loss_log = LossLog::detached_total; },
});

}  // namespace
}  // namespace highwater
