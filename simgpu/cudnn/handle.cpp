#include "simgpu/cudnn/types.hpp"

using namespace simgpu::cudnn;

SIMGPU_EXPORT int cudnnCreate(Handle** handle) {
  *handle = new Handle;
  return success;
}

SIMGPU_EXPORT int cudnnDestroy(Handle* handle) {
  delete handle;
  return success;
}

SIMGPU_EXPORT int cudnnSetStream(Handle* handle, void* stream) {
  handle->stream = stream;
  return success;
}

SIMGPU_EXPORT int cudnnGetStream(Handle* handle, void** stream) {
  *stream = handle->stream;
  return success;
}
