#include <cuda_runtime_api.h>

#include <cstring>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/capture.hpp"
#include "simgpu/device/export.hpp"
#include "simgpu/device/host_memory.hpp"
#include "simgpu/device/kernel_log.hpp"
#include "simgpu/device/memory.hpp"
#include "simgpu/device/reads.hpp"
#include "simgpu/device/reservation.hpp"
#include "simgpu/device/shadow.hpp"

/// Device memory holds no bytes: what the host finds there is told by reads.hpp. A range that is
/// not inside one live block is refused, as the real driver refuses it. Directions are told by the
/// addresses (unified addressing), so the `kind` argument is not needed.

using namespace simgpu;
using simgpu::cudart::report;

namespace {

bool is_valid(const void* pointer, std::size_t bytes) {
  return !is_device_address(pointer) || is_live_range(pointer, bytes);
}

Address address_of(const void* pointer) { return reinterpret_cast<Address>(pointer); }

const char* direction(const void* target, const void* source) {
  if (is_device_address(target))
    return is_device_address(source) ? "device to device" : "host to device";
  return is_device_address(source) ? "device to host" : "host to host";
}

void move_bytes(void* target, const void* source, std::size_t bytes) {
  const bool to_device = is_device_address(target);
  const bool from_device = is_device_address(source);
  if (to_device && from_device)
    copy_shadow(address_of(target), address_of(source), bytes);
  else if (to_device)
    write_shadow(address_of(target), source, bytes);
  else if (from_device)
    read_device(target, address_of(source), bytes);
  else
    std::memmove(target, source, bytes);
}

bool is_pageable(const void* pointer) { return !is_device_address(pointer) && !is_pinned(pointer); }

/// Where cudaMemcpyAsync returns only when the copy is done ("API synchronization behavior" of the
/// runtime's documentation): always when pageable memory is read into or both sides are host
/// memory; long copies from pageable memory are staged, short ones are taken along at once.
bool is_blocking(const void* target, const void* source, std::size_t bytes) {
  constexpr std::size_t taken_along_bytes = 64 << 10;
  if (is_device_address(target)) return is_pageable(source) && bytes > taken_along_bytes;
  return is_pageable(target) || !is_device_address(source);
}

bool is_captured(cudaStream_t stream) {
  CaptureInfo info;
  return capture_info(stream, &info) == cudaSuccess && info.status != cudaStreamCaptureStatusNone;
}

cudaError_t copy_async(void* target, const void* source, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (!is_valid(target, bytes) || !is_valid(source, bytes)) return report(cudaErrorInvalidValue);
  const cudaError_t error = enqueue(stream, WorkKind::copy, [=] {
    log_copy(stream, direction(target, source), bytes);
    move_bytes(target, source, bytes);
  });
  if (error != cudaSuccess || !is_blocking(target, source, bytes) || is_captured(stream))
    return report(error);
  return report(wait_for_stream(stream));
}

/// In the null stream. Copies within the device return before they are done.
cudaError_t copy(void* target, const void* source, std::size_t bytes) {
  const cudaError_t error = copy_async(target, source, bytes, nullptr);
  const bool is_within_device = is_device_address(target) && is_device_address(source);
  return error != cudaSuccess || is_within_device ? error : report(wait_for_stream(nullptr));
}

void fill_bytes(void* target, int value, std::size_t bytes) {
  if (is_device_address(target))
    forget_shadow(address_of(target), bytes);
  else
    std::memset(target, value, bytes);
}

cudaError_t fill(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  if (!is_valid(target, bytes)) return report(cudaErrorInvalidValue);
  return report(enqueue(stream, WorkKind::fill, [=] {
    log_fill(stream, bytes);
    fill_bytes(target, value, bytes);
  }));
}

/// Bytes from the first byte of the first row to the last byte of the last.
std::size_t extent(std::size_t pitch, std::size_t width, std::size_t height) {
  return pitch * (height - 1) + width;
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes,
                                     cudaMemcpyKind) {
  return copy(target, source, bytes);
}

SIMGPU_EXPORT cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes,
                                          cudaMemcpyKind, cudaStream_t stream) {
  return copy_async(target, source, bytes, stream);
}

SIMGPU_EXPORT cudaError_t cudaMemcpyPeerAsync(void* target, int, const void* source, int,
                                              std::size_t bytes, cudaStream_t stream) {
  return copy_async(target, source, bytes, stream);
}

SIMGPU_EXPORT cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch,
                                            const void* source, std::size_t source_pitch,
                                            std::size_t width, std::size_t height, cudaMemcpyKind,
                                            cudaStream_t stream) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (width > target_pitch || width > source_pitch ||
      !is_valid(target, extent(target_pitch, width, height)) ||
      !is_valid(source, extent(source_pitch, width, height)))
    return report(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row)
    if (const cudaError_t error =
            copy_async(static_cast<char*>(target) + row * target_pitch,
                       static_cast<const char*>(source) + row * source_pitch, width, stream);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

/// Symbols live in device memory that no block describes; writing them does nothing.
SIMGPU_EXPORT cudaError_t cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t,
                                             cudaMemcpyKind) {
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  return fill(target, value, bytes, nullptr);
}

SIMGPU_EXPORT cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes,
                                          cudaStream_t stream) {
  return fill(target, value, bytes, stream);
}
