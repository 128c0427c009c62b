#include "harness/workload/adamw.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/stateful_optimizer.hpp"

namespace highwater {
namespace {

void update(ParameterState& state) {
  adamw_update(state.parameter, state.gradient(), state.tensors[0], state.tensors[1], state.step);
}

OptimizerChoice adamw_loop() {
  return {.name = "adamw loop",
          .make = optimizer_of({.initial_state = &zero_moments, .update = one_by_one(&update)}),
          .state_bytes = &adamw_state_bytes,
          .temporary_bytes = &largest_bytes};
}

const RegisterTechnique registered({
    .name = "adamw_loop",
    .summary = "AdamW parameter by parameter with one temporary, where LibTorch's own has two",
    .relieves = "optimizer",
    .scenario = "small",
    .when = "the largest parameter, often an embedding, decides the peak of the update",
    .cost = "several small kernels a parameter, as baseline",
    .numerics = NumericsClass::bit_equal,
    .source = "LibTorch, torch/csrc/api/src/optim/adamw.cpp: sqrt and the division that follows "
              "each make a tensor",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.optimizer = adamw_loop(); },
    // One of the two.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "optimizer_temporary_bytes", 2);
        },
});

}  // namespace
}  // namespace highwater
