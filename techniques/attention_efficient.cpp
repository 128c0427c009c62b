#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "attention_efficient",
    .summary = "attention by the memory-efficient kernel, under bf16 autocast",
    .relieves = "saved_activations",
    .when =
        "on any GPU, and in fp32, where it is what this project's baseline uses; here beside the "
        "16-bit kernels under the same autocast",
    .cost = "as autocast_bf16, which it includes",
    .needs = {"fused_attention"},
    .not_on_cpu = "its only fused kernel is baseline's",
    .numerics = NumericsClass::tolerance,
    // As autocast_bf16: one rounding is 4e-3 of a value, and gradients sum many.
    .tolerance = 1e-1,
    .source = "Rabe and Staats 2021, Self-attention Does Not Need O(n^2) Memory; PyTorch "
              "documentation, scaled_dot_product_attention",
    .tags = {"full"},
    // Its kernel is the default, so it changes no field that these would clash over.
    .excludes = {"attention_math", "attention_flash", "attention_cudnn"},
    .edit =
        [](StepPlan& plan) {
          plan.attention = AttentionKernel::efficient;
          plan.autocast = Autocast{.dtype = at::kBFloat16};
        },
});

}  // namespace
}  // namespace highwater
