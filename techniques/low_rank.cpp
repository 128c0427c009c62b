#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "low_rank",
    .summary = "each linear weight as two factors, of a quarter of its smaller side",
    .relieves = "parameters",
    .scenario = "small",
    .when = "linear layers hold most parameters and a smaller model is good enough",
    .cost =
        "a model of lower capacity, trained as such; one more activation, of the rank's width, a "
        "layer",
    .needs = {"linear"},
    .numerics = NumericsClass::different_by_design,
    .source = "Sainath et al. 2013, Low-rank Matrix Factorization for Deep Neural Network Training "
              "with High-dimensional Output Targets",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.rank_divisor = 4; },
    // r (m + n) of m n with r = min(m, n) / 4 is half at most. Embeddings stay, which in the models
    // here hold up to two thirds.
    .promise =
        [](const StepPlan&, const Measurement& baseline) {
          return promise_part(baseline, "parameters_bytes", 8);
        },
});

}  // namespace
}  // namespace highwater
