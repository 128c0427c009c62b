#include <cuda.h>

#include <cstdio>
#include <string>

#include "simgpu/device/attributes.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/stop.hpp"

using namespace simgpu;

SIMGPU_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDeviceGetCount(int* count) {
  *count = config().device_count;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDeviceGetName(char* text, int length, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(text, static_cast<std::size_t>(length), "%s", profile().name.c_str());
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes = static_cast<std::size_t>(profile().total_memory_bytes);
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                                            CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  const auto answer = device_attribute(attribute, device);
  if (!answer)
    stop_unanswered("cuDeviceGetAttribute, attribute " + std::to_string(attribute), "the driver");
  *value = *answer;
  return CUDA_SUCCESS;
}
