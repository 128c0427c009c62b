#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "set_to_none",
    .summary = "release gradients at the start of a step instead of filling them with zeros",
    .relieves = "forward",
    .when = "always, unless a gradient is read after the step or absent ones would be mistaken",
    .cost = "gradients are allocated anew in every backward",
    .numerics = NumericsClass::bit_equal,
    .source = "PyTorch performance tuning guide; default of zero_grad since PyTorch 2.0",
    .tags = {"default", "smoke", "full"},
    .edit = [](StepPlan& plan) { plan.gradient_reset = GradientReset::set_to_none; },
    // No gradient is alive in forward; with micro-batches those of the first are.
    .promise = [](const StepPlan& plan, const Measurement& baseline) -> std::optional<Promise> {
      if (plan.micro_batches > 1) return std::nullopt;
      return Promise{.metric = "forward_peak_allocated_bytes",
                     .minimum_saving_bytes = baseline.at("gradients_bytes")};
    },
});

}  // namespace
}  // namespace highwater
