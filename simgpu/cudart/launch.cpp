#include <cuda_runtime_api.h>
#include <vector_types.h>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/kernels.hpp"

/// What compiled CUDA code calls to register its kernels and to launch them. The double-underscore
/// names are those the compiler's generated host code uses (crt/host_runtime.h of the toolkit);
/// they are declared here because that header is for generated code only.

using namespace simgpu;
using simgpu::cudart::report;

namespace {

struct LaunchConfiguration {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
};

thread_local LaunchConfiguration pushed;

Extent extent(const dim3& size) { return {size.x, size.y, size.z}; }

cudaError_t launch(const void* kernel, const dim3& grid, const dim3& block,
                   std::size_t shared_bytes, cudaStream_t stream) {
  return report(launch_kernel({kernel, extent(grid), extent(block), shared_bytes, stream}));
}

}  // namespace

SIMGPU_EXPORT void** __cudaRegisterFatBinary(void*) {
  static void* handle[1];
  return handle;
}

SIMGPU_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

SIMGPU_EXPORT void __cudaUnregisterFatBinary(void**) {}

SIMGPU_EXPORT char __cudaInitModule(void**) { return 1; }

SIMGPU_EXPORT void __cudaRegisterFunction(void**, const char* host_function, char*,
                                          const char* device_name, int, uint3*, uint3*, dim3*,
                                          dim3*, int*) {
  register_kernel(host_function, device_name);
}

SIMGPU_EXPORT void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int,
                                     int) {}

SIMGPU_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes,
                                                   cudaStream_t stream) {
  pushed = {grid, block, shared_bytes, stream};
  return 0;
}

SIMGPU_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block,
                                                     std::size_t* shared_bytes, void* stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared_bytes = pushed.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = pushed.stream;
  return cudaSuccess;
}

/// A kernel's handle is its host function.
SIMGPU_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host_function));
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void**,
                                             std::size_t shared_bytes, cudaStream_t stream) {
  return launch(kernel, grid, block, shared_bytes, stream);
}

SIMGPU_EXPORT cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void**,
                                           std::size_t shared_bytes, cudaStream_t stream) {
  return launch(function, grid, block, shared_bytes, stream);
}

SIMGPU_EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* launched,
                                              const void* function, void**) {
  return launch(function, launched->gridDim, launched->blockDim, launched->dynamicSmemBytes,
                launched->stream);
}

SIMGPU_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                                      void**, std::size_t shared_bytes,
                                                      cudaStream_t stream) {
  return launch(function, grid, block, shared_bytes, stream);
}
