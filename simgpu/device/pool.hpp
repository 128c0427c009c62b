#pragma once

#include <cstdint>
#include <optional>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// A device's default memory pool, from which cudaMallocAsync takes:
/// https://docs.nvidia.com/cuda/cuda-programming-guide/04-special-topics/stream-ordered-memory-allocation.html
/// It grows by chunks, hands out pieces of them and keeps what is freed up to a threshold. All
/// functions are thread-safe.

/// Estimates, not documented. One piece of 12 bytes was seen to use 512 of a pool that held 32 MiB:
/// https://github.com/cupy/cupy/pull/5177. That larger pieces make it grow by the next multiple of
/// 32 MiB is an assumption.
constexpr std::uint64_t pool_piece_bytes = 512;
constexpr std::uint64_t pool_chunk_bytes = std::uint64_t{32} << 20;

struct PoolLevel {
  std::uint64_t current_bytes = 0;
  std::uint64_t high_bytes = 0;
};

struct PoolUsage {
  PoolLevel used;      ///< pieces handed out, each rounded up to `pool_piece_bytes`
  PoolLevel reserved;  ///< what the pool holds of the device
};

SIMGPU_SHARED PoolUsage pool_usage(int device);

/// Set a high-water mark back to the current bytes.
SIMGPU_SHARED void reset_pool_used_high(int device);
SIMGPU_SHARED void reset_pool_reserved_high(int device);

/// What the pool may hold beyond a synchronisation, in use or not: 0 at first.
SIMGPU_SHARED std::uint64_t pool_release_threshold(int device);
SIMGPU_SHARED void set_pool_release_threshold(int device, std::uint64_t bytes);

/// Gives unused memory back to the device until the pool holds `keep_bytes`, or all of it is in
/// use. True if that freed any.
SIMGPU_SHARED bool trim_pool(int device, std::uint64_t keep_bytes);

/// The host has waited for work on `device`: the pool shrinks to its threshold.
void pool_meets_synchronization(int device);

/// A block of `bytes` (> 0) for memory.cpp, or nothing if the device is full.
std::optional<Address> take_from_pool(int device, std::uint64_t bytes);

/// Takes back `bytes`, as rounded by `take_from_pool`.
void give_back_to_pool(int device, Address address, std::uint64_t bytes);

constexpr std::uint64_t round_up_to_pieces(std::uint64_t bytes) {
  return (bytes + pool_piece_bytes - 1) / pool_piece_bytes * pool_piece_bytes;
}

}  // namespace simgpu
