#pragma once

#include <cstdint>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Registers a thread of any kernel is taken to use. The real number is in the kernel image, which
/// is not read; 32 lets a full block of 1,024 threads run twice on a multiprocessor.
constexpr int assumed_registers_per_thread = 32;

/// Blocks of `threads` threads and `shared_bytes` dynamic shared memory that fit on one
/// multiprocessor of the profile: the smallest of the limits by blocks, threads, registers (as
/// assumed above) and shared memory.
SIMGPU_SHARED int blocks_per_multiprocessor(int threads, std::uint64_t shared_bytes);

}  // namespace simgpu
