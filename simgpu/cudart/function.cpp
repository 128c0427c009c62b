#include <cuda_runtime_api.h>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/embedded_image.hpp"
#include "simgpu/device/occupancy.hpp"
#include "simgpu/device/profile.hpp"

using namespace simgpu;
using simgpu::cudart::report;

/// Versions are those of the embedded image (embedded_image.hpp); register and memory use of a
/// kernel are in the image and not known, see occupancy.hpp.
SIMGPU_EXPORT cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  const auto image = embedded_image_for(architecture(profile()));
  if (!image) return report(cudaErrorNoKernelImageForDevice);
  *attributes = {};
  attributes->ptxVersion = *image;
  attributes->binaryVersion = *image;
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = assumed_registers_per_thread;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(profile().shared_memory_per_block_bytes);
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute attribute,
                                               int value) {
  const bool too_much = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
                        value > profile().shared_memory_per_block_optin_bytes;
  return too_much ? report(cudaErrorInvalidValue) : cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*,
                                                                        int threads,
                                                                        std::size_t shared_bytes) {
  *blocks = blocks_per_multiprocessor(threads, shared_bytes);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void*, int threads, std::size_t shared_bytes, unsigned) {
  *blocks = blocks_per_multiprocessor(threads, shared_bytes);
  return cudaSuccess;
}
