#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "pure_fp16",
    .summary = "everything in fp16, the optimizer too: weights become NaN at the first update",
    .relieves = "parameters, gradients, optimizer_state and activations",
    .scenario = "small",
    .when = "never with AdamW: fp16_master_weights is what works",
    .cost =
        "the model: the smallest fp16 number is 6e-8, so that AdamW's eps of 1e-8 and squares of "
        "gradients below 2e-4 are zero, and an update is zero divided by zero",
    .numerics = NumericsClass::diverges,
    .source = "PyTorch issue 8860, NaN after model.half() with Adam",
    .tags = {"full"},
    .excludes = {"autocast_fp16", "autocast_bf16"},
    .edit = [](StepPlan& plan) { plan.dtype = at::kHalf; },
});

}  // namespace
}  // namespace highwater
