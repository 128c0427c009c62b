#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "undetached_state",
    .summary = "the anti-pattern of recurrence: evaluation with autograd on, and the state that "
               "steps hand on is never detached",
    .when = "never: detach the state after every step. In training autograd stops this by itself, "
            "since the update changes weights that the older graph has saved",
    .cost = "the activations of every step",
    .needs = {"recurrent"},
    .numerics = NumericsClass::bit_equal,
    .source = "pytorch issue 2198; repackage_hidden of pytorch/examples, word_language_model",
    .tags = {"full"},
    .leaks = true,
    .edit =
        [](StepPlan& plan) {
          plan.mode = StepMode::forward_with_graph;
          plan.variant.attached_state = true;
        },
});

}  // namespace
}  // namespace highwater
