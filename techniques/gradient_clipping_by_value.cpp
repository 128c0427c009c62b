#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "gradient_clipping_by_value",
    .summary = "limit every gradient element to 0.01 before the update",
    .when = "a bound is wanted and the total norm is not: it needs no second pass",
    .cost = "one pass over the gradients",
    .numerics = NumericsClass::different_by_design,
    .source = "PyTorch documentation, clip_grad_value_",
    .tags = {"full"},
    .excludes = {"optimizer_in_backward"},
    .edit =
        [](StepPlan& plan) {
          plan.gradient_clip = GradientClip{.kind = GradientClip::Kind::value, .limit = 0.01};
        },
});

}  // namespace
}  // namespace highwater
