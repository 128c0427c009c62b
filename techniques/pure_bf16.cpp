#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "pure_bf16",
    .summary = "everything in bf16: parameters, gradients, optimizer state and activations halve",
    .relieves = "parameters, gradients, optimizer_state and activations",
    .scenario = "small",
    .when = "memory decides, and lost small updates are acceptable or rounded stochastically",
    // A weight of 1 has neighbours at 0.996 and 1.008, and AdamW moves it by its learning rate.
    .cost = "8 bits of mantissa: an update below a 256th of its weight is lost",
    .numerics = NumericsClass::different_by_design,
    .source =
        "Raschka 2023, Optimizing memory usage for training in PyTorch: ViT-L/16 in bf16-true "
        "went from 26.79 to 13.82 GB",
    .tags = {"full"},
    .excludes = {"autocast_fp16", "autocast_bf16"},
    .edit = [](StepPlan& plan) { plan.dtype = at::kBFloat16; },
    // Half of all model state.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_at_rest((baseline.at("parameters_bytes") + baseline.at("gradients_bytes") +
                                  baseline.at("optimizer_state_bytes")) /
                                 2);
        },
});

}  // namespace
}  // namespace highwater
