#include <cstring>
#include <string>

#include "simgpu/cublas/types.hpp"
#include "simgpu/device/kernels.hpp"
#include "simgpu/device/reservation.hpp"
#include "simgpu/device/stop.hpp"

/// Products with vectors, and reductions; gemm.cpp has those of matrices. Their results lie in
/// device memory, which holds no bytes. Factorisations and solvers are left to the generated
/// functions that stop by name.

SIMGPU_EXPORT_LAUNCH(cublasSgemv_v2)
SIMGPU_EXPORT_LAUNCH(cublasDgemv_v2)
SIMGPU_EXPORT_LAUNCH(cublasCgemv_v2)
SIMGPU_EXPORT_LAUNCH(cublasZgemv_v2)

using namespace simgpu::cublas;

int simgpu::cublas::launch(const Handle* handle, const char* name) {
  if (handle == nullptr) return not_initialized;
  return call_library(handle->stream, name) == cudaSuccess ? success : execution_failed;
}

namespace {

/// The result of a reduction: device memory stays as it is, a host variable becomes zero, as
/// everything read from the device does.
int reduce(const Handle* handle, const char* name, void* result, std::size_t bytes) {
  const int status = launch(handle, name);
  if (!simgpu::is_device_address(result)) std::memset(result, 0, bytes);
  return status;
}

/// cudaDataType_t of library_types.h.
std::size_t bytes_of(int data_type) {
  constexpr int real_32f = 0, real_64f = 1, real_16f = 2, real_16bf = 14;
  switch (data_type) {
    case real_16f:
    case real_16bf:
      return 2;
    case real_32f:
      return 4;
    case real_64f:
      return 8;
    default:
      simgpu::stop_unanswered("cublasDotEx, result type " + std::to_string(data_type), "cuBLAS");
  }
}

}  // namespace

SIMGPU_EXPORT int cublasSdot_v2(Handle* handle, int, const void*, int, const void*, int,
                                void* result) {
  return reduce(handle, "cublasSdot_v2", result, sizeof(float));
}

SIMGPU_EXPORT int cublasDdot_v2(Handle* handle, int, const void*, int, const void*, int,
                                void* result) {
  return reduce(handle, "cublasDdot_v2", result, sizeof(double));
}

SIMGPU_EXPORT int cublasDotEx(Handle* handle, int, const void*, int, int, const void*, int, int,
                              void* result, int result_type, int) {
  return reduce(handle, "cublasDotEx", result, bytes_of(result_type));
}
