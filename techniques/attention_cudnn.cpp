#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "attention_cudnn",
    .summary = "attention by cuDNN's kernel, under bf16 autocast: it takes 16 bits only",
    .relieves = "saved_activations",
    .when = "16-bit training on Hopper: the kernel that LibTorch prefers there",
    .cost = "as autocast_bf16, which it includes; the memory-efficient kernel keeps as much",
    .needs = {"fused_attention"},
    .not_on_cpu = "its only fused kernel is baseline's",
    .numerics = NumericsClass::tolerance,
    // As autocast_bf16: one rounding is 4e-3 of a value, and gradients sum many.
    .tolerance = 1e-1,
    .source = "Dao 2023, FlashAttention-2; PyTorch documentation, scaled_dot_product_attention",
    .tags = {"full"},
    .edit =
        [](StepPlan& plan) {
          plan.attention = AttentionKernel::cudnn;
          plan.autocast = Autocast{.dtype = at::kBFloat16};
        },
});

}  // namespace
}  // namespace highwater
