#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "autocast_fp16",
    .summary = "forward and loss under fp16 autocast, with dynamic loss scaling",
    .relieves = "saved_activations",
    .when = "activations outweigh parameters, on a card with 16-bit matrix units",
    .cost =
        "16-bit copies of weights until their backward, and in the cache until forward ends, as "
        "autocast_bf16; loss scaling, which skips a step now and then",
    .numerics = NumericsClass::tolerance,
    // fp16 has 11 bits: one rounding is 5e-4 of a value, and gradients sum many.
    .tolerance = 2e-2,
    .source = "Micikevicius et al. 2018, Mixed Precision Training; PyTorch AMP recipe",
    .tags = {"default", "full"},
    .edit =
        [](StepPlan& plan) {
          plan.autocast = Autocast{.dtype = at::kHalf};
          plan.gradient_scaler = true;
        },
    // Half copies of weights are held until their backward: a weight-heavy model can need more.
    .promise = nullptr,
});

}  // namespace
}  // namespace highwater
