#include "harness/workload/device_memory.hpp"

#include <c10/core/CachingDeviceAllocator.h>

namespace highwater {

void empty_device_cache(at::Device device) {
  if (!device.is_cpu()) c10::getDeviceAllocator(device.type())->emptyCache();
}

void choose_attention(AttentionKernel kernel, at::Device device) {
  at::Context& context = at::globalContext();
  const bool math = kernel == AttentionKernel::math;
  context.setSDPUseMath(math);
  context.setSDPUseMemEfficient(kernel == AttentionKernel::efficient || (device.is_cpu() && !math));
  context.setSDPUseFlash(kernel == AttentionKernel::flash || (device.is_cpu() && !math));
  context.setSDPUseCuDNN(kernel == AttentionKernel::cudnn);
}

}  // namespace highwater
