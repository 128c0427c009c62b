#include <cstddef>
#include <cstdint>

#include "simgpu/cublas/types.hpp"
#include "simgpu/device/kernels.hpp"

/// cuBLASLt (https://docs.nvidia.com/cuda/cublas/#using-the-cublaslt-api): descriptors are handles
/// whose attributes nobody asks back, products do nothing.

using namespace simgpu::cublas;

namespace {

/// cublasLtMatmulHeuristicResult_t.
struct HeuristicResult {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96);

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

SIMGPU_EXPORT int cublasLtMatmulPreferenceCreate(Descriptor** preference) {
  return create(preference);
}
SIMGPU_EXPORT int cublasLtMatmulPreferenceDestroy(Descriptor* preference) {
  return destroy(preference);
}
SIMGPU_EXPORT int cublasLtMatmulPreferenceSetAttribute(Descriptor*, int, const void*, std::size_t) {
  return success;
}

/// One algorithm that needs no workspace. With none, Torch would take another path; Torch allocates
/// the workspace it offers itself, before it asks.
SIMGPU_EXPORT int cublasLtMatmulAlgoGetHeuristic(void*, Descriptor*, Descriptor*, Descriptor*,
                                                 Descriptor*, Descriptor*, Descriptor*,
                                                 int requested, HeuristicResult* results,
                                                 int* found) {
  if (requested < 1) return invalid_value;
  results[0] = {};
  *found = 1;
  return success;
}

SIMGPU_EXPORT int cublasLtMatmul(void*, Descriptor*, const void*, const void*, Descriptor*,
                                 const void*, Descriptor*, const void*, const void*, Descriptor*,
                                 void*, Descriptor*, const void*, void*, std::size_t,
                                 const void* stream) {
  return simgpu::call_library(stream) == cudaSuccess ? success : execution_failed;
}
