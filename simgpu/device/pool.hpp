#pragma once

#include <cstdint>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Bytes of the blocks that cudaMallocAsync handed out on a device (whole pages). The pool keeps
/// nothing back: what is freed leaves it at once, so reserved equals used.
struct PoolUsage {
  std::uint64_t current_bytes = 0;
  std::uint64_t high_bytes = 0;
};

SIMGPU_SHARED PoolUsage pool_usage(int device);

/// Sets the high-water mark back to the current bytes.
SIMGPU_SHARED void reset_pool_high(int device);

/// Called by memory.cpp as pooled blocks come and go.
void count_pool_block(int device, std::int64_t change_bytes);

}  // namespace simgpu
