#include "simgpu/device/memory.hpp"

#include <cuda_runtime_api.h>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/capacity.hpp"
#include "simgpu/device/capture.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/host_memory.hpp"
#include "simgpu/device/reservation.hpp"
#include "simgpu/device/stop.hpp"

using namespace simgpu;
using simgpu::cudart::report;

namespace {

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

cudaError_t allocate(void** pointer, std::size_t bytes, BlockKind kind) {
  *pointer = nullptr;
  if (config().device_count == 0) return report(cudaErrorNoDevice);
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return report(error);
  if (bytes == 0) return cudaSuccess;
  mark_device_used(current_device());
  const auto address = allocate_block(current_device(), bytes, kind);
  if (!address) return report(cudaErrorMemoryAllocation);
  *pointer = reinterpret_cast<void*>(*address);
  return cudaSuccess;
}

/// Address ranges of cuMemAddressReserve are not cudaFree's to free.
cudaError_t release(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const auto block = find_block(address_of(pointer));
  const bool is_ours = block && block->kind != BlockKind::reserved;
  return is_ours && release_block(address_of(pointer)) ? cudaSuccess
                                                       : report(cudaErrorInvalidValue);
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, BlockKind::allocation);
}

/// Waits for the device that holds the memory.
SIMGPU_EXPORT cudaError_t cudaFree(void* pointer) {
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return report(error);
  if (const auto block = find_block(address_of(pointer))) wait_for_device(block->device);
  return release(pointer);
}

/// Stream order changes nothing here: every stream's work is done when it is submitted. A capture
/// would make memory the graph's own, which is not simulated.
SIMGPU_EXPORT cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  CaptureInfo info;
  if (capture_info(stream, &info) == cudaSuccess && info.status != cudaStreamCaptureStatusNone)
    stop_unanswered("cudaMallocAsync in a stream that is being captured", "cudart");
  return allocate(pointer, bytes, BlockKind::pooled);
}

SIMGPU_EXPORT cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return release(pointer); }

SIMGPU_EXPORT cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (config().device_count == 0) return report(cudaErrorNoDevice);
  const MemoryInfo info = memory_info(current_device());
  *free_bytes = info.free_bytes;
  *total_bytes = info.total_bytes;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  *pointer = nullptr;
  if (config().device_count == 0) return report(cudaErrorNoDevice);
  if (const cudaError_t error = check_unsafe_call(); error != cudaSuccess) return report(error);
  if (bytes == 0) return cudaSuccess;
  *pointer = allocate_pinned(bytes);
  return *pointer ? cudaSuccess : report(cudaErrorMemoryAllocation);
}

SIMGPU_EXPORT cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr || free_pinned(pointer)) return cudaSuccess;
  return report(cudaErrorInvalidValue);
}

SIMGPU_EXPORT cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  if (pointer == nullptr || bytes == 0) return report(cudaErrorInvalidValue);
  return register_pinned(pointer, bytes) ? cudaSuccess
                                         : report(cudaErrorHostMemoryAlreadyRegistered);
}

SIMGPU_EXPORT cudaError_t cudaHostUnregister(void* pointer) {
  return unregister_pinned(pointer) ? cudaSuccess : report(cudaErrorHostMemoryNotRegistered);
}

/// As since CUDA 11: an address the runtime does not know is "unregistered", not an error.
SIMGPU_EXPORT cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                   const void* pointer) {
  if (config().device_count == 0) return report(cudaErrorNoDevice);
  *attributes = {};
  attributes->type = cudaMemoryTypeUnregistered;
  attributes->device = cudaInvalidDeviceId;
  void* const plain = const_cast<void*>(pointer);
  if (is_device_address(pointer)) {
    const auto block = find_block(address_of(pointer));
    if (!block) return cudaSuccess;
    attributes->type = cudaMemoryTypeDevice;
    attributes->device = block->device;
    attributes->devicePointer = plain;
    return cudaSuccess;
  }
  attributes->hostPointer = plain;
  if (!is_pinned(pointer)) return cudaSuccess;
  attributes->type = cudaMemoryTypeHost;
  attributes->device = current_device();
  attributes->devicePointer = plain;
  return cudaSuccess;
}
