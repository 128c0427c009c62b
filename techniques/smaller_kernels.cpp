#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "smaller_kernels",
    .summary = "a smaller model: convolutions of 3x3 and more become 1x1, but for the first",
    .relieves = "parameters",
    .when =
        "convolution weights outweigh activations, which do not change: output sizes stay the same",
    .cost = "pixels meet only where strides, pools and the first layer join them: another model",
    .needs = {"kernels"},
    .numerics = NumericsClass::different_by_design,
    .source =
        "Iandola et al. 2016, SqueezeNet: replace 3x3 filters with 1x1 filters, 9 times fewer "
        "parameters each",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.small_kernels = true; },
    // Least where large kernels are depthwise: 1.1 % of ConvNeXt-T's weights.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "parameters_bytes", 100);
        },
});

}  // namespace
}  // namespace highwater
