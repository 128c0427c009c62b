#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "sgd_momentum",
    .summary = "gradient descent with momentum 0.9 instead of AdamW: one state of two",
    .relieves = "optimizer_state",
    .scenario = "small",
    .when = "convolutional networks, which train as well with it",
    .cost = "another optimisation, which needs its own learning rate and schedule",
    .numerics = NumericsClass::different_by_design,
    .source = "Sutskever et al. 2013, On the importance of initialization and momentum in deep "
              "learning; torch::optim::SGD",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.optimizer = sgd(/*learning_rate=*/1e-2, /*momentum=*/0.9); },
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_at_rest(baseline.at("optimizer_state_bytes") / 2);
        },
});

}  // namespace
}  // namespace highwater
