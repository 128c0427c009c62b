#include "simgpu/cublas/types.hpp"
#include "simgpu/device/kernels.hpp"

/// Products of matrices. Their results lie in device memory, which holds no bytes; their shapes are
/// for the log of work. Signatures: https://docs.nvidia.com/cuda/cublas/ (gemm and its variants).

using namespace simgpu::cublas;
using simgpu::Product;

namespace {

/// cudaDataType_t of library_types.h.
enum Type : int { f32 = 0, f64 = 1, f16 = 2, c64 = 4, c128 = 5 };

int multiply(const Handle* handle, const Product& product) {
  if (handle == nullptr) return not_initialized;
  return call_product(handle->stream, product) == cudaSuccess ? success : execution_failed;
}

}  // namespace

/// Arguments behind the shape are left to the caller where nothing in them is of interest.
#define SIMGPU_EXPORT_GEMM(name, type)                                             \
  SIMGPU_EXPORT int name(Handle* handle, int a, int b, int m, int n, int k, ...) { \
    return multiply(handle, {#name, a, b, m, n, k, 1, {type, type, type}});        \
  }
#define SIMGPU_EXPORT_BATCHED(name, type)                                                          \
  SIMGPU_EXPORT int name(Handle* handle, int a, int b, int m, int n, int k, const void*,           \
                         const void*, int, const void*, int, const void*, void*, int, int batch) { \
    return multiply(handle, {#name, a, b, m, n, k, batch, {type, type, type}});                    \
  }
#define SIMGPU_EXPORT_STRIDED(name, type)                                                       \
  SIMGPU_EXPORT int name(Handle* handle, int a, int b, int m, int n, int k, const void*,        \
                         const void*, int, long long, const void*, int, long long, const void*, \
                         void*, int, long long, int batch) {                                    \
    return multiply(handle, {#name, a, b, m, n, k, batch, {type, type, type}});                 \
  }

SIMGPU_EXPORT_GEMM(cublasSgemm_v2, f32)
SIMGPU_EXPORT_GEMM(cublasDgemm_v2, f64)
SIMGPU_EXPORT_GEMM(cublasCgemm_v2, c64)
SIMGPU_EXPORT_GEMM(cublasZgemm_v2, c128)
SIMGPU_EXPORT_GEMM(cublasHgemm, f16)
SIMGPU_EXPORT_BATCHED(cublasSgemmBatched, f32)
SIMGPU_EXPORT_BATCHED(cublasDgemmBatched, f64)
SIMGPU_EXPORT_BATCHED(cublasCgemmBatched, c64)
SIMGPU_EXPORT_BATCHED(cublasZgemmBatched, c128)
SIMGPU_EXPORT_STRIDED(cublasSgemmStridedBatched, f32)
SIMGPU_EXPORT_STRIDED(cublasDgemmStridedBatched, f64)
SIMGPU_EXPORT_STRIDED(cublasCgemmStridedBatched, c64)
SIMGPU_EXPORT_STRIDED(cublasZgemmStridedBatched, c128)

SIMGPU_EXPORT int cublasGemmEx(Handle* handle, int a, int b, int m, int n, int k, const void*,
                               const void*, int a_type, int, const void*, int b_type, int,
                               const void*, void*, int type, int, int, int) {
  return multiply(handle, {"cublasGemmEx", a, b, m, n, k, 1, {a_type, b_type, type}});
}

SIMGPU_EXPORT int cublasSgemmEx(Handle* handle, int a, int b, int m, int n, int k, const void*,
                                const void*, int a_type, int, const void*, int b_type, int,
                                const void*, void*, int type, int) {
  return multiply(handle, {"cublasSgemmEx", a, b, m, n, k, 1, {a_type, b_type, type}});
}

SIMGPU_EXPORT int cublasGemmBatchedEx(Handle* handle, int a, int b, int m, int n, int k,
                                      const void*, const void*, int a_type, int, const void*,
                                      int b_type, int, const void*, void*, int type, int, int batch,
                                      int, int) {
  return multiply(handle, {"cublasGemmBatchedEx", a, b, m, n, k, batch, {a_type, b_type, type}});
}

SIMGPU_EXPORT int cublasGemmStridedBatchedEx(Handle* handle, int a, int b, int m, int n, int k,
                                             const void*, const void*, int a_type, int, long long,
                                             const void*, int b_type, int, long long, const void*,
                                             void*, int type, int, long long, int batch, int, int) {
  return multiply(handle,
                  {"cublasGemmStridedBatchedEx", a, b, m, n, k, batch, {a_type, b_type, type}});
}
