#include <cuda.h>

#include "simgpu/device/memory.hpp"

SIMGPU_EXPORT CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes,
                                            CUdeviceptr pointer) {
  const auto block = simgpu::find_block(pointer);
  if (!block) return CUDA_ERROR_NOT_FOUND;
  if (base) *base = block->address;
  if (bytes) *bytes = block->bytes;
  return CUDA_SUCCESS;
}
