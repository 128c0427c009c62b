#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "sgd",
    .summary = "plain gradient descent instead of AdamW: no optimizer state",
    .relieves = "optimizer_state",
    .scenario = "small",
    .when = "parameters outweigh activations, and the task trains without adaptive learning rates",
    .cost = "another optimisation, which needs its own learning rate and schedule",
    .numerics = NumericsClass::different_by_design,
    .source = "Raschka 2023, Optimizing memory usage for training in PyTorch: ViT-L/16 with SGD "
              "instead of Adam went from 3.91 to 2.02 GB",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.optimizer = sgd(/*learning_rate=*/1e-2); },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_at_rest(baseline.at("optimizer_state_bytes"));
        },
});

}  // namespace
}  // namespace highwater
