#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "attention_math",
    .summary = "attention from separate operators, which keep the whole matrix of probabilities",
    .when = "never for memory: it is what the fused kernels are measured against",
    .cost = "a row of probabilities for each head and token",
    .needs = {"fused_attention"},
    .numerics = NumericsClass::tolerance,
    // The same sums in another order.
    .tolerance = 1e-4,
    .source = "Dao et al. 2022, FlashAttention",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.attention = AttentionKernel::math; },
});

}  // namespace
}  // namespace highwater
