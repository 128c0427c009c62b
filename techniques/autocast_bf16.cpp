#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "autocast_bf16",
    .summary = "forward and loss under bf16 autocast, without loss scaling",
    .relieves = "saved_activations",
    .when =
        "GPUs from Ampere on, and activations outweigh weights: autocast keeps a 16-bit copy of "
        "every weight until its backward",
    .cost = "8 bits of mantissa; a weight-heavy model at a small batch needs more, not less; the "
            "cache of casts keeps those of checkpointed segments until forward ends, unless it is "
            "off (at::autocast::set_autocast_cache_enabled)",
    .numerics = NumericsClass::tolerance,
    // bf16 has 8 bits: one rounding is 4e-3 of a value, and gradients sum many.
    .tolerance = 1e-1,
    .source =
        "PyTorch AMP recipe; Kalamkar et al. 2019, A Study of BFLOAT16 for Deep Learning Training",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.autocast = Autocast{.dtype = at::kBFloat16}; },
    // As with fp16, a weight-heavy model can need more.
    .promise = nullptr,
});

}  // namespace
}  // namespace highwater
