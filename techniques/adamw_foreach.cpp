#include "harness/workload/adamw.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/stateful_optimizer.hpp"

namespace highwater {
namespace {

/// The order of operations of adamw_update, each over all parameters at once. The roots of all
/// second moments are alive together.
void update(const DueParameters& due) {
  const AdamWConstants constants;
  const auto parameters = list(due, [](const ParameterState& s) { return s.parameter; });
  const auto gradients = list(due, [](const ParameterState& s) { return s.gradient(); });
  const auto averages = list(due, [](const ParameterState& s) { return s.tensors[0]; });
  const auto squares = list(due, [](const ParameterState& s) { return s.tensors[1]; });
  std::vector<at::Scalar> corrections;
  std::vector<at::Scalar> step_sizes;
  for (const ParameterState* state : due) {
    corrections.emplace_back(constants.root_correction(state->step));
    step_sizes.emplace_back(-constants.step_size(state->step));
  }
  at::_foreach_mul_(parameters, 1 - constants.learning_rate * constants.weight_decay);
  at::_foreach_mul_(averages, constants.beta1);
  at::_foreach_add_(averages, gradients, 1 - constants.beta1);
  at::_foreach_mul_(squares, constants.beta2);
  at::_foreach_addcmul_(squares, gradients, gradients, 1 - constants.beta2);
  const auto roots = at::_foreach_sqrt(squares);
  at::_foreach_div_(roots, corrections);
  at::_foreach_add_(roots, constants.eps);
  at::_foreach_addcdiv_(parameters, averages, roots, step_sizes);
}

Bytes total_bytes(const std::vector<at::Tensor>& parameters) {
  Bytes bytes = 0;
  for (const at::Tensor& parameter : parameters) bytes += static_cast<Bytes>(parameter.nbytes());
  return bytes;
}

OptimizerChoice adamw_foreach() {
  return {.name = "adamw foreach",
          .make = optimizer_of({.initial_state = &zero_moments, .update = &update}),
          .state_bytes = &adamw_state_bytes,
          .temporary_bytes = &total_bytes};
}

const RegisterTechnique registered({
    .name = "adamw_foreach",
    .summary = "AdamW over lists of all parameters, PyTorch's default on a GPU: it needs more",
    .relieves = "time of the update, not memory",
    .scenario = "small",
    .when =
        "the update is a part of the step's time worth shortening, and there is memory to spare",
    .cost = "a temporary the size of all parameters during the update",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch, torch/optim/adamw.py; issue 97712: foreach optimizers ran out of memory "
              "where the loop fitted",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.optimizer = adamw_foreach(); },
    // It saves nothing: the roots of all second moments are alive at once, where baseline has two
    // tensors of the largest.
    .promise = nullptr,
});

}  // namespace
}  // namespace highwater
