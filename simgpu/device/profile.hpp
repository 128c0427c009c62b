#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Where some values of a profile come from.
struct ProfileSource {
  std::vector<std::string> keys;  ///< keys of the file that it speaks for
  std::string basis;              ///< "published", "measured" (on a card) or "estimate"
  std::string text;               ///< the place it was published, the card, or the reasoning
};

/// What one kind of GPU says about itself. Every field is a key of the JSON file; the names carry
/// the unit, flags are 0 or 1. Required are all but those that follow from the compute capability
/// (capability.hpp). profiles/schema/profile.schema.json says the same for other tools.
struct Profile {
  std::string name;  ///< as the driver prints it, e.g. "NVIDIA H200"
  std::vector<ProfileSource> sources;

  std::int64_t total_memory_bytes = 0;
  /// What the driver's context takes before the first allocation. It moves with driver and loaded
  /// modules. Allocations fit into total minus context.
  std::int64_t context_bytes = 0;
  std::int64_t compute_capability_major = 0;
  std::int64_t compute_capability_minor = 0;
  std::int64_t multiprocessor_count = 0;
  std::int64_t max_threads_per_multiprocessor = 0;
  std::int64_t max_blocks_per_multiprocessor = 0;
  std::int64_t registers_per_multiprocessor = 0;
  std::int64_t registers_per_block = 0;
  std::int64_t shared_memory_per_block_bytes = 0;
  std::int64_t shared_memory_per_block_optin_bytes = 0;
  std::int64_t shared_memory_per_multiprocessor_bytes = 0;
  std::int64_t reserved_shared_memory_per_block_bytes = 0;
  std::int64_t l2_cache_bytes = 0;
  std::int64_t persisting_l2_cache_max_bytes = 0;
  std::int64_t access_policy_window_max_bytes = 0;
  std::int64_t clock_rate_khz = 0;
  std::int64_t memory_clock_rate_khz = 0;
  std::int64_t memory_bus_width_bits = 0;
  std::int64_t async_engine_count = 0;
  std::int64_t single_to_double_performance_ratio = 0;
  std::int64_t memory_sync_domain_count = 0;
  std::int64_t ecc_enabled = 0;
  std::int64_t cluster_launch = 0;
  std::int64_t tensor_map_access = 0;
  std::int64_t gpu_direct_rdma = 0;
  std::int64_t peer_access = 0;
};

/// One integer key of a profile and the values it may have.
struct ProfileField {
  const char* key;
  std::int64_t Profile::*member;
  std::int64_t minimum;
  std::int64_t maximum;
};

SIMGPU_SHARED std::span<const ProfileField> profile_fields();

/// Reads and checks a profile. Throws ConfigError naming the file, and the key where one is
/// missing, unknown, of the wrong type or out of range.
SIMGPU_SHARED Profile load_profile(const std::string& path);

/// The compute capability as one number, 10 * major + minor.
SIMGPU_SHARED int architecture(const Profile& profile);

/// The profile of this process's devices, SIMGPU_CAPACITY_BYTES applied. Loaded at the first call;
/// errors, a card that Torch has no kernels for among them, end the process with code 2. Must not
/// be called when there is no device.
SIMGPU_SHARED const Profile& profile();

}  // namespace simgpu
