#include <cstddef>
#include <cstdint>

#include "simgpu/cublas/types.hpp"
#include "simgpu/device/kernels.hpp"

/// cuBLASLt (https://docs.nvidia.com/cuda/cublas/#using-the-cublaslt-api): descriptors are handles
/// whose attributes nobody asks back, products do nothing.

using namespace simgpu::cublas;

namespace {

struct Descriptor {};

int create(Descriptor** descriptor) {
  if (descriptor == nullptr) return invalid_value;
  *descriptor = new Descriptor;
  return success;
}

int destroy(Descriptor* descriptor) {
  delete descriptor;
  return success;
}

}  // namespace

SIMGPU_EXPORT std::size_t cublasLtGetVersion() { return version; }

SIMGPU_EXPORT std::size_t cublasLtGetCudartVersion() { return simgpu::torch_cuda_version; }

SIMGPU_EXPORT int cublasLtCreate(Descriptor** handle) { return create(handle); }
SIMGPU_EXPORT int cublasLtDestroy(Descriptor* handle) { return destroy(handle); }

SIMGPU_EXPORT int cublasLtMatmulDescCreate(Descriptor** descriptor, int, int) {
  return create(descriptor);
}
SIMGPU_EXPORT int cublasLtMatmulDescDestroy(Descriptor* descriptor) { return destroy(descriptor); }
SIMGPU_EXPORT int cublasLtMatmulDescSetAttribute(Descriptor*, int, const void*, std::size_t) {
  return success;
}

SIMGPU_EXPORT int cublasLtMatrixLayoutCreate(Descriptor** layout, int, std::uint64_t, std::uint64_t,
                                             std::int64_t) {
  return create(layout);
}
SIMGPU_EXPORT int cublasLtMatrixLayoutDestroy(Descriptor* layout) { return destroy(layout); }
SIMGPU_EXPORT int cublasLtMatrixLayoutSetAttribute(Descriptor*, int, const void*, std::size_t) {
  return success;
}

SIMGPU_EXPORT int cublasLtMatmul(void*, Descriptor*, const void*, const void*, Descriptor*,
                                 const void*, Descriptor*, const void*, const void*, Descriptor*,
                                 void*, Descriptor*, const void*, void*, std::size_t,
                                 const void* stream) {
  return simgpu::call_library(stream) == cudaSuccess ? success : execution_failed;
}
