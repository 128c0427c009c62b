#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "narrower",
    .summary = "a smaller model: half the hidden width, or half the channels",
    .relieves = "parameters",
    .when = "the model may be another one: weights between hidden layers fall to a quarter, "
            "activations to half",
    .cost = "another model, with less capacity, trained from the start",
    .numerics = NumericsClass::different_by_design,
    .source =
        "Howard et al. 2017, MobileNets: the width multiplier; Zagoruyko & Komodakis 2016, Wide "
        "Residual Networks, turned round",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.width_divisor = 2; },
    // Every weight has a side of the hidden width, so half of them goes, but for biases of outputs.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "parameters_bytes", 3);
        },
});

}  // namespace
}  // namespace highwater
