#include <cuda_runtime_api.h>

#include <cstdio>
#include <string>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/versions.hpp"
#include "simgpu/device/attributes.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/stop.hpp"
#include "simgpu/device/stream.hpp"

using namespace simgpu;
using simgpu::cudart::report;

namespace {

/// cudaSuccess if `device` exists; the error real calls give otherwise.
cudaError_t check_device(int device) {
  if (config().device_count == 0) return cudaErrorNoDevice;
  return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t check_peers(int device, int peer) {
  const cudaError_t error = check_device(device);
  return error != cudaSuccess ? error : check_device(peer);
}

bool can_access(int device, int peer) { return device != peer && profile().peer_access != 0; }

}  // namespace

SIMGPU_EXPORT cudaError_t cudaGetDeviceCount(int* count) {
  *count = config().device_count;
  if (*count == 0) return report(cudaErrorNoDevice);
  profile();  // a wrong profile shows here, before anything depends on it
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return report(check_device(*device));
}

SIMGPU_EXPORT cudaError_t cudaSetDevice(int device) {
  if (!set_current_device(device)) return report(check_device(device));
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return report(error);
  const auto answer = device_attribute(attribute, device);
  if (!answer)
    stop_unanswered("cudaDeviceGetAttribute, attribute " + std::to_string(attribute), "cudart");
  *value = *answer;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return report(error);
  std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0",
                static_cast<unsigned>(pci_bus(device)));
  return cudaSuccess;
}

/// Priorities as every card since capability 7.0 reports them.
SIMGPU_EXPORT cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (const cudaError_t error = check_peers(device, peer); error != cudaSuccess)
    return report(error);
  *can = can_access(device, peer) ? 1 : 0;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  if (const cudaError_t error = check_device(peer); error != cudaSuccess) return report(error);
  return can_access(current_device(), peer) ? cudaSuccess : report(cudaErrorPeerAccessUnsupported);
}

SIMGPU_EXPORT cudaError_t cudaDeviceSynchronize() {
  return report(wait_for_device(current_device()));
}

SIMGPU_EXPORT cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver_version;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaProfilerStart() { return cudaSuccess; }

SIMGPU_EXPORT cudaError_t cudaProfilerStop() { return cudaSuccess; }
