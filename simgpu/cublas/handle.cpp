#include "simgpu/cublas/types.hpp"

/// Handles keep what is set on them. The real cublasCreate also takes device memory of its own;
/// that lies outside every allocator and is part of the profile's context estimate.

using namespace simgpu::cublas;

namespace {

/// Sets or reads one member; the answer to a null handle is the library's.
template <class Value>
int set(Handle* handle, Value Handle::*member, Value value) {
  if (handle == nullptr) return not_initialized;
  handle->*member = value;
  return success;
}

template <class Value>
int get(const Handle* handle, Value Handle::*member, Value* value) {
  if (handle == nullptr) return not_initialized;
  if (value == nullptr) return invalid_value;
  *value = handle->*member;
  return success;
}

}  // namespace

SIMGPU_EXPORT int cublasCreate_v2(Handle** handle) {
  if (handle == nullptr) return invalid_value;
  *handle = new Handle;
  return success;
}

SIMGPU_EXPORT int cublasDestroy_v2(Handle* handle) {
  if (handle == nullptr) return not_initialized;
  delete handle;
  return success;
}

SIMGPU_EXPORT int cublasGetVersion_v2(Handle*, int* number) {
  *number = version;
  return success;
}

/// As documented, setting a stream returns the handle to the library's own workspace.
SIMGPU_EXPORT int cublasSetStream_v2(Handle* handle, void* stream) {
  if (handle == nullptr) return not_initialized;
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return success;
}

SIMGPU_EXPORT int cublasGetStream_v2(Handle* handle, void** stream) {
  return get(handle, &Handle::stream, stream);
}

SIMGPU_EXPORT int cublasSetWorkspace_v2(Handle* handle, void* workspace, std::size_t bytes) {
  if (handle == nullptr) return not_initialized;
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return success;
}

SIMGPU_EXPORT int cublasSetMathMode(Handle* handle, int mode) {
  return set(handle, &Handle::math_mode, mode);
}

SIMGPU_EXPORT int cublasGetMathMode(Handle* handle, int* mode) {
  return get(handle, &Handle::math_mode, mode);
}

SIMGPU_EXPORT int cublasSetPointerMode_v2(Handle* handle, int mode) {
  return set(handle, &Handle::pointer_mode, mode);
}

SIMGPU_EXPORT int cublasGetPointerMode_v2(Handle* handle, int* mode) {
  return get(handle, &Handle::pointer_mode, mode);
}

SIMGPU_EXPORT int cublasSetAtomicsMode(Handle* handle, int mode) {
  return set(handle, &Handle::atomics_mode, mode);
}

SIMGPU_EXPORT int cublasGetAtomicsMode(Handle* handle, int* mode) {
  return get(handle, &Handle::atomics_mode, mode);
}
