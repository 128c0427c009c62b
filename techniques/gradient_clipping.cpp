#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "gradient_clipping",
    .summary = "scale gradients down to a total norm of 1 before the update",
    .when = "training is unstable; it saves nothing and is here to be combined",
    .cost = "a few scalars a parameter, one pass over the gradients",
    .numerics = NumericsClass::different_by_design,
    .source = "Pascanu et al. 2013, On the difficulty of training recurrent neural networks",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.gradient_clip = GradientClip{}; },
});

}  // namespace
}  // namespace highwater
