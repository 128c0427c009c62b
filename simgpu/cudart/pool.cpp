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
  switch (attribute) {
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrReservedMemCurrent:
      return pool_usage(device).current_bytes;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
      return pool_usage(device).high_bytes;
    default:
      stop_at("cudaMemPoolGetAttribute", attribute);
  }
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

/// Reuse policies and the release threshold only matter to a pool that keeps memory back.
SIMGPU_EXPORT cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                                  void*) {
  if (!is_device(device_of(pool))) return report(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
    case cudaMemPoolAttrReleaseThreshold:
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
      reset_pool_high(device_of(pool));
      return cudaSuccess;
    default:
      stop_at("cudaMemPoolSetAttribute", attribute);
  }
}

SIMGPU_EXPORT cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*,
                                               std::size_t) {
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) { return cudaSuccess; }
