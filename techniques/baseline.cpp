#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "baseline",
    .summary = "fp32, AdamW, the whole batch at once, gradients filled with zeros",
    .numerics = NumericsClass::bit_equal,
    .source = "the training loop of the PyTorch tutorials before set_to_none became the default",
    .tags = {"default", "smoke", "full"},
    .edit = [](StepPlan&) {},
});

}  // namespace
}  // namespace highwater
