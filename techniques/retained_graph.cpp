#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "retained_graph",
    .summary = "the anti-pattern of backward: retain_graph, and the losses are kept",
    // A large model at its own batch would fill the card within the measured steps.
    .scenario = "small",
    .when = "never: every step keeps all of its activations",
    .cost = "the activations of every step",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, Tensor.backward; pytorch issue 64586",
    .tags = {"full"},
    .leaks = true,
    .edit = [](StepPlan& plan) { plan.loss_log = LossLog::retained_graphs; },
});

}  // namespace
}  // namespace highwater
