#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "stored_outputs",
    .summary = "the anti-pattern of logging: every output of the model is kept",
    .when = "never: keep output.detach().cpu(), or a number made of it",
    .cost = "the outputs of every step",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch FAQ; pytorch issue 106255",
    .tags = {"full"},
    .leaks = true,
    .edit = [](StepPlan& plan) { plan.loss_log = LossLog::stored_outputs; },
});

}  // namespace
}  // namespace highwater
