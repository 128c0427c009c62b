#include <cuda.h>

#include <cstdint>

#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/export.hpp"
#include "simgpu/device/stream.hpp"
#include "simgpu/device/versions.hpp"

using namespace simgpu;

namespace {

/// A device's primary context is the only one it has. The handle is the ordinal plus one.
CUcontext context_of(int device) {
  return reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device) + 1);
}

int device_of(CUcontext context) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1;
}

/// Null detaches the thread from its context; the current device stays what it was.
CUresult make_current(CUcontext context) {
  if (context == nullptr || set_current_device(device_of(context))) return CUDA_SUCCESS;
  return CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace

SIMGPU_EXPORT CUresult cuInit(unsigned) {
  return config().device_count == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDriverGetVersion(int* version) {
  *version = driver_version;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  mark_device_used(device);
  *context = context_of(device);
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

SIMGPU_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *flags = 0;
  *active = is_device_used(device) ? 1 : 0;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = is_device_used(current_device()) ? context_of(current_device()) : nullptr;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuCtxSetCurrent(CUcontext context) { return make_current(context); }

SIMGPU_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  *device = current_device();
  return CUDA_SUCCESS;
}

/// The driver's errors have the numbers of the runtime's.
SIMGPU_EXPORT CUresult cuCtxSynchronize() {
  return static_cast<CUresult>(wait_for_device(current_device()));
}
