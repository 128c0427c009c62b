#include <cuda.h>

#include "simgpu/device/export.hpp"

/// Error logs of the driver, which CUDA 12.9 brought. This driver logs nothing, so a registered
/// callback is never called.

#if CUDA_VERSION >= 12090

SIMGPU_EXPORT CUresult cuLogsRegisterCallback(CUlogsCallback, void*, CUlogsCallbackHandle* handle) {
  static char registered;
  if (handle) *handle = reinterpret_cast<CUlogsCallbackHandle>(&registered);
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle) { return CUDA_SUCCESS; }

#endif
