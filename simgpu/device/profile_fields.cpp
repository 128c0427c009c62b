#include <limits>

#include "simgpu/device/profile.hpp"

namespace simgpu {
namespace {

constexpr std::int64_t any_size = std::int64_t{1} << 50;
constexpr std::int64_t any_attribute = std::numeric_limits<int>::max();  // CUDA answers in an int

constexpr ProfileField fields[] = {
    {"total_memory_bytes", &Profile::total_memory_bytes, 1, any_size},
    {"context_bytes", &Profile::context_bytes, 0, any_size},
    {"compute_capability_major", &Profile::compute_capability_major, 1, 99},
    {"compute_capability_minor", &Profile::compute_capability_minor, 0, 9},
    {"multiprocessor_count", &Profile::multiprocessor_count, 1, any_attribute},
    {"max_threads_per_multiprocessor", &Profile::max_threads_per_multiprocessor, 1, any_attribute},
    {"max_blocks_per_multiprocessor", &Profile::max_blocks_per_multiprocessor, 1, any_attribute},
    {"registers_per_multiprocessor", &Profile::registers_per_multiprocessor, 1, any_attribute},
    {"registers_per_block", &Profile::registers_per_block, 1, any_attribute},
    {"shared_memory_per_block_bytes", &Profile::shared_memory_per_block_bytes, 1, any_attribute},
    {"shared_memory_per_block_optin_bytes", &Profile::shared_memory_per_block_optin_bytes, 1,
     any_attribute},
    {"shared_memory_per_multiprocessor_bytes", &Profile::shared_memory_per_multiprocessor_bytes, 1,
     any_attribute},
    {"reserved_shared_memory_per_block_bytes", &Profile::reserved_shared_memory_per_block_bytes, 0,
     any_attribute},
    {"l2_cache_bytes", &Profile::l2_cache_bytes, 1, any_attribute},
    {"persisting_l2_cache_max_bytes", &Profile::persisting_l2_cache_max_bytes, 0, any_attribute},
    {"access_policy_window_max_bytes", &Profile::access_policy_window_max_bytes, 0, any_attribute},
    {"clock_rate_khz", &Profile::clock_rate_khz, 1, any_attribute},
    {"memory_clock_rate_khz", &Profile::memory_clock_rate_khz, 1, any_attribute},
    {"memory_bus_width_bits", &Profile::memory_bus_width_bits, 1, any_attribute},
    {"async_engine_count", &Profile::async_engine_count, 0, any_attribute},
    {"single_to_double_performance_ratio", &Profile::single_to_double_performance_ratio, 1,
     any_attribute},
    {"memory_sync_domain_count", &Profile::memory_sync_domain_count, 1, any_attribute},
    {"ecc_enabled", &Profile::ecc_enabled, 0, 1},
    {"cluster_launch", &Profile::cluster_launch, 0, 1},
    {"tensor_map_access", &Profile::tensor_map_access, 0, 1},
    {"gpu_direct_rdma", &Profile::gpu_direct_rdma, 0, 1},
    {"peer_access", &Profile::peer_access, 0, 1},
};

}  // namespace

std::span<const ProfileField> profile_fields() { return fields; }

int architecture(const Profile& profile) {
  return static_cast<int>(profile.compute_capability_major * 10 + profile.compute_capability_minor);
}

}  // namespace simgpu
