#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "lora",
    .summary = "the model frozen, an adapter of rank 8 trained on each linear layer",
    .relieves = "gradients and optimizer_state",
    .scenario = "small",
    .when = "a trained model is adapted to a task",
    .cost = "fine-tuning only; adapters and their activations come on top, and frozen layers keep "
            "what their input's gradient needs",
    .needs = {"linear"},
    .numerics = NumericsClass::different_by_design,
    .source =
        "Hu et al. 2021, LoRA: Low-Rank Adaptation of Large Language Models; torchtune's table: "
        "Llama-3.2-3B from 17.6 to 8.5 GiB",
    .tags = {"full"},
    .excludes = {"low_rank"},
    .edit = [](StepPlan& plan) { plan.variant.lora_rank = 8; },
    // 8 (m + n) of m n is half at most where both sides are 32 or more; all else is frozen.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "optimizer_state_bytes", 2);
        },
});

}  // namespace
}  // namespace highwater
