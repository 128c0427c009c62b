#pragma once

#include <ATen/ATen.h>

#include "harness/workload/step_plan.hpp"

namespace highwater {

/// Gives unused cached blocks of the device back to it; nothing on the cpu, which caches none.
void empty_device_cache(at::Device device);

/// Pins the kernel of scaled_dot_product_attention for this process, so that the bytes do not
/// depend on the card: the memory-efficient one by default. The CPU has one fused kernel, filed
/// under "flash", which stands in for all but math.
void choose_attention(AttentionKernel kernel, at::Device device);

}  // namespace highwater
