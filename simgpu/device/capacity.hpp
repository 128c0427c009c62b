#pragma once

#include <cstdint>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Free and total bytes of a device as cudaMemGetInfo tells them: total is the profile's, the
/// context counts as used.
struct MemoryInfo {
  std::uint64_t free_bytes;
  std::uint64_t total_bytes;
};

/// Takes `bytes` of the device's capacity, whoever asks for them (cudaMalloc, cuMemCreate, pools).
/// What the device's pool does not use has to make room (assumed of all three). False, and nothing
/// taken, if they do not fit even so. Thread-safe.
SIMGPU_SHARED bool charge_capacity(int device, std::uint64_t bytes);

/// Gives back what `charge_capacity` took.
SIMGPU_SHARED void refund_capacity(int device, std::uint64_t bytes);

SIMGPU_SHARED MemoryInfo memory_info(int device);

}  // namespace simgpu
