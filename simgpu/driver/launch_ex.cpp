#include <cuda.h>

#include "simgpu/device/kernels.hpp"

/// Launch attributes (clusters, programmatic order, priorities) change no bytes.
SIMGPU_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void**,
                                        void**) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return static_cast<CUresult>(
      simgpu::launch_kernel({function,
                             {config->gridDimX, config->gridDimY, config->gridDimZ},
                             {config->blockDimX, config->blockDimY, config->blockDimZ},
                             config->sharedMemBytes,
                             config->hStream}));
}
