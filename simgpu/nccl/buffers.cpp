#include <cuda_runtime_api.h>

#include "simgpu/nccl/types.hpp"

/// Buffers that NCCL allocates or is told about. Registration has no effect on bytes that a program
/// sees; its handles only have to be distinct from null.

using namespace simgpu::nccl;

namespace {

Result register_buffer(void** handle) {
  static char registered;
  if (handle == nullptr) return invalid_argument;
  *handle = &registered;
  return success;
}

}  // namespace

SIMGPU_EXPORT int ncclMemAlloc(void** pointer, std::size_t bytes) {
  return cudaMalloc(pointer, bytes) == cudaSuccess ? success : unhandled_cuda_error;
}

SIMGPU_EXPORT int ncclMemFree(void* pointer) {
  return cudaFree(pointer) == cudaSuccess ? success : unhandled_cuda_error;
}

SIMGPU_EXPORT int ncclCommRegister(const Communicator*, void*, std::size_t, void** handle) {
  return register_buffer(handle);
}

SIMGPU_EXPORT int ncclCommDeregister(const Communicator*, void*) { return success; }

SIMGPU_EXPORT int ncclCommWindowRegister(Communicator*, void*, std::size_t, void** handle, int) {
  return register_buffer(handle);
}

SIMGPU_EXPORT int ncclCommWindowDeregister(Communicator*, void*) { return success; }
