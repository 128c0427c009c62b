#include "simgpu/device/occupancy.hpp"

#include <algorithm>

#include "simgpu/device/profile.hpp"

namespace simgpu {

int blocks_per_multiprocessor(int threads, std::uint64_t shared_bytes) {
  constexpr std::int64_t warp_size = 32;
  const Profile& p = profile();
  const std::int64_t warp_threads = (threads + warp_size - 1) / warp_size * warp_size;
  if (warp_threads <= 0) return 0;
  const std::int64_t shared_a_block =
      static_cast<std::int64_t>(shared_bytes) + p.reserved_shared_memory_per_block_bytes;
  const std::int64_t by_shared = shared_a_block > 0
                                     ? p.shared_memory_per_multiprocessor_bytes / shared_a_block
                                     : p.max_blocks_per_multiprocessor;
  return static_cast<int>(std::min({
      p.max_blocks_per_multiprocessor,
      p.max_threads_per_multiprocessor / warp_threads,
      p.registers_per_multiprocessor / (warp_threads * assumed_registers_per_thread),
      by_shared,
  }));
}

}  // namespace simgpu
