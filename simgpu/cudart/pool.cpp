#include "simgpu/device/pool.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/stop.hpp"

using namespace simgpu;
using simgpu::cudart::report;

namespace {

/// Each device has its default pool and no other. The handle is the ordinal plus one, so that it is
/// not null.
cudaMemPool_t pool_of(int device) {
  return reinterpret_cast<cudaMemPool_t>(static_cast<std::uintptr_t>(device) + 1);
}

int device_of(cudaMemPool_t pool) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(pool)) - 1;
}

[[noreturn]] void stop_at(const char* call, cudaMemPoolAttr attribute) {
  stop_unanswered(std::string(call) + ", attribute " + std::to_string(attribute), "cudart");
}

std::uint64_t pool_attribute(cudaMemPoolAttr attribute, int device) {
  const PoolUsage usage = pool_usage(device);
  switch (attribute) {
    case cudaMemPoolAttrUsedMemCurrent:
      return usage.used.current_bytes;
    case cudaMemPoolAttrUsedMemHigh:
      return usage.used.high_bytes;
    case cudaMemPoolAttrReservedMemCurrent:
      return usage.reserved.current_bytes;
    case cudaMemPoolAttrReservedMemHigh:
      return usage.reserved.high_bytes;
    case cudaMemPoolAttrReleaseThreshold:
      return pool_release_threshold(device);
    default:
      stop_at("cudaMemPoolGetAttribute", attribute);
  }
}

/// A high-water mark can only be set to 0, which means the bytes of now.
cudaError_t reset_high(void (*reset)(int), int device, const void* value) {
  if (*static_cast<const std::uint64_t*>(value) != 0) return report(cudaErrorInvalidValue);
  reset(device);
  return cudaSuccess;
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  *pool = pool_of(device);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                                  void* value) {
  if (!is_device(device_of(pool))) return report(cudaErrorInvalidValue);
  *static_cast<std::uint64_t*>(value) = pool_attribute(attribute, device_of(pool));
  return cudaSuccess;
}

/// Reuse policies change nothing: what is freed may be taken at once, in any stream.
SIMGPU_EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                                  void* value) {
  const int device = device_of(pool);
  if (!is_device(device)) return report(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      set_pool_release_threshold(device, *static_cast<const std::uint64_t*>(value));
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
      return reset_high(&reset_pool_used_high, device, value);
    case cudaMemPoolAttrReservedMemHigh:
      return reset_high(&reset_pool_reserved_high, device, value);
    default:
      stop_at("cudaMemPoolSetAttribute", attribute);
  }
}

SIMGPU_EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*,
                                               std::size_t) {
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep_bytes) {
  if (!is_device(device_of(pool))) return report(cudaErrorInvalidValue);
  trim_pool(device_of(pool), keep_bytes);
  return cudaSuccess;
}

/// Of the memory that graphs allocate themselves: none does here, see cudaMallocAsync.
SIMGPU_EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType,
                                                         void* value) {
  if (!is_device(device)) return report(cudaErrorInvalidDevice);
  *static_cast<std::uint64_t*>(value) = 0;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType,
                                                         void*) {
  return is_device(device) ? cudaSuccess : report(cudaErrorInvalidDevice);
}

SIMGPU_EXPORT cudaError_t cudaDeviceGraphMemTrim(int device) {
  return is_device(device) ? cudaSuccess : report(cudaErrorInvalidDevice);
}
