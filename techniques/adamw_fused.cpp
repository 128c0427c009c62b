#include "harness/workload/adamw.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/stateful_optimizer.hpp"

namespace highwater {
namespace {

/// Moments and, as in Python, the count of steps as a scalar that the kernel reads.
std::vector<at::Tensor> initial_state(const at::Tensor& parameter) {
  std::vector<at::Tensor> state = zero_moments(parameter);
  state.push_back(at::zeros({}, parameter.options().dtype(at::kFloat)));
  return state;
}

void update(const DueParameters& due) {
  const AdamWConstants constants;
  const auto steps = list(due, [](const ParameterState& s) { return s.tensors[2]; });
  // Before the kernel: at step 0 its bias correction divides zero by zero.
  at::_foreach_add_(steps, 1);
  at::_fused_adamw_(list(due, [](const ParameterState& s) { return s.parameter; }),
                    list(due, [](const ParameterState& s) { return s.gradient(); }),
                    list(due, [](const ParameterState& s) { return s.tensors[0]; }),
                    list(due, [](const ParameterState& s) { return s.tensors[1]; }),
                    /*max_exp_avg_sqs=*/{}, steps, constants.learning_rate, constants.beta1,
                    constants.beta2, constants.weight_decay, constants.eps, /*amsgrad=*/false,
                    /*maximize=*/false);
}

OptimizerChoice adamw_fused() {
  return {.name = "adamw fused",
          .make = optimizer_of({.initial_state = &initial_state, .update = &update}),
          .state_bytes = [](const at::Tensor& p) { return adamw_state_bytes(p) + Bytes{4}; },
          .temporary_bytes = [](const std::vector<at::Tensor>&) { return Bytes{0}; }};
}

const RegisterTechnique registered({
    .name = "adamw_fused",
    .summary = "AdamW in one kernel over all parameters: no temporaries",
    .relieves = "optimizer",
    .scenario = "small",
    .when = "always, where the kernel exists",
    .cost = "a scalar a parameter",
    .numerics = NumericsClass::tolerance,
    // The kernel rounds in another order: one rounding of fp32 an operation, over three updates.
    .tolerance = 1e-5,
    .source =
        "PyTorch, torch.optim.AdamW(fused=True); aten/src/ATen/native/cuda/FusedAdamWKernel.cu",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.optimizer = adamw_fused(); },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "optimizer_temporary_bytes", 1);
        },
});

}  // namespace
}  // namespace highwater
