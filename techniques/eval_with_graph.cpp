#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "eval_with_graph",
    .summary = "the anti-pattern of evaluation: forward alone, with autograd on",
    .when =
        "never: it is what no_grad is measured against. Every activation is kept for a backward "
        "that does not come",
    .cost = "the activations of a training step",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch issues 15790, 39927 and 40133",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.mode = StepMode::forward_with_graph; },
});

}  // namespace
}  // namespace highwater
