#include "harness/workload/adamw.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/stateful_optimizer.hpp"

namespace highwater {
namespace {

/// Moments in page-locked memory of the host, which a GPU can copy from and to by itself.
std::vector<at::Tensor> initial_state(const at::Tensor& parameter) {
  const auto options =
      parameter.options().device(at::kCPU).pinned_memory(parameter.device().is_cuda());
  return {at::zeros_like(parameter, options), at::zeros_like(parameter, options)};
}

/// Copies run on the current stream, in the order of the update: the device holds the moments of
/// one parameter at a time.
void update(ParameterState& state) {
  const auto fetched = [&](const at::Tensor& moment) {
    return moment.to(state.parameter.device(), /*non_blocking=*/true);
  };
  const at::Tensor average = fetched(state.tensors[0]);
  const at::Tensor square = fetched(state.tensors[1]);
  adamw_update(state.parameter, state.gradient(), average, square, state.step);
  state.tensors[0].copy_(average, /*non_blocking=*/true);
  state.tensors[1].copy_(square, /*non_blocking=*/true);
}

OptimizerChoice adamw_on_host() {
  return {.name = "adamw on host",
          .make = optimizer_of({.initial_state = &initial_state, .update = one_by_one(&update)}),
          .state_bytes = [](const at::Tensor&) { return Bytes{0}; },
          .temporary_bytes = [](const std::vector<at::Tensor>& p) { return 3 * largest_bytes(p); }};
}

const RegisterTechnique registered({
    .name = "optimizer_offload",
    .summary = "AdamW's moments in host memory, fetched for one parameter after the other",
    .relieves = "optimizer_state",
    .scenario = "small",
    .when = "parameters outweigh activations and updates are rare, as with gradient accumulation",
    .cost = "all moments cross the bus twice an update; as much page-locked host memory",
    .not_on_cpu = "its state is in host memory already",
    .numerics = NumericsClass::bit_equal,
    .source = "Ren et al. 2021, ZeRO-Offload: Democratizing Billion-Scale Model Training",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.optimizer = adamw_on_host(); },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_at_rest(baseline.at("optimizer_state_bytes"));
        },
});

}  // namespace
}  // namespace highwater
