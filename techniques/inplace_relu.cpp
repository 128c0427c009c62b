#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "inplace_relu",
    .summary = "ReLU writes over its input",
    .relieves = "forward",
    .when =
        "inference, or a forward peak at a ReLU: linear, convolution and norm layers keep their "
        "input and not their output, so one tensor fewer is alive while ReLU runs",
    .cost = "none; an error of autograd where somebody else keeps what is overwritten",
    .needs = {"relu"},
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch documentation, torch.nn.ReLU(inplace=True); torchvision's ResNet and VGG",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.inplace_relu = true; },
    // A transient only: what is kept for backward is the same, and the peak of a training step
    // seldom lies at a ReLU.
    .promise = nullptr,
});

}  // namespace
}  // namespace highwater
