#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "optimizer_in_backward",
    .summary = "update each parameter as soon as its gradient is complete, and release that",
    .relieves = "gradients",
    .scenario = "small",
    .when =
        "parameters outweigh activations, and neither accumulation nor a global gradient norm is "
        "needed",
    .cost = "one optimizer call a parameter; no gradient is left to look at",
    .numerics = NumericsClass::bit_equal,
    .source =
        "PyTorch tutorial, How to save memory by fusing the optimizer step into the backward pass: "
        "ViT-L/16 from 6 to 4 GB",
    .tags = {"full"},
    .excludes = {"gradient_accumulation", "autocast_fp16", "gradient_clipping"},
    .edit = [](StepPlan& plan) { plan.update = UpdateTime::in_backward; },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_at_rest(baseline.at("gradients_bytes"));
        },
});

}  // namespace
}  // namespace highwater
