#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "no_grad",
    .summary = "forward alone, with autograd off",
    .relieves = "saved_activations",
    .when =
        "evaluation and inference: nothing is trained, so nothing needs to be kept for backward",
    .cost = "none; it is faster than a training forward",
    .numerics = NumericsClass::bit_equal,
    .source =
        "PyTorch documentation, torch.no_grad; C++ users who left it out ran out of memory at a "
        "sixteenth of Python's input (pytorch issue 40133)",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.mode = StepMode::no_grad; },
    .promise = promise_inference,
});

}  // namespace
}  // namespace highwater
