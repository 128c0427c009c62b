#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const RegisterTechnique registered({
    .name = "channels_last",
    .summary = "convolution weights and images in NHWC memory order (memory_format=channels_last)",
    .relieves = "temporaries",
    .when =
        "convolutions in 16 bits: tensor cores read NHWC, and NCHW kernels would transpose into "
        "workspaces. Best with autocast",
    .cost =
        "in fp32 and fp16, batch norms then run in cuDNN, which keeps a reserve whose size only a "
        "real device knows: such rows are refused in simulation. In bf16 they do not use cuDNN",
    .needs = {"convolution"},
    .numerics = NumericsClass::tolerance,
    // The same sums in another order: 1e-6. Where that turns a ReLU, or lets another element of
    // a max pool win, a share of a gradient moves: 9e-3 was seen on the twin of the U-Net.
    .tolerance = 2e-2,
    .source =
        "PyTorch tutorial, Channels Last Memory Format; timm's benchmarks: ResNet-50 under AMP "
        "from 826 to 1218 images/s on an RTX 3090",
    .tags = {"full"},
    .edit = [](StepPlan& plan) { plan.variant.channels_last = true; },
    // Workspaces are cuDNN's choice; tensors have the same bytes in either order.
    .promise = nullptr,
});

}  // namespace
}  // namespace highwater
