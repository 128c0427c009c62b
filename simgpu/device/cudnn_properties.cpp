#include "simgpu/device/cudnn_properties.hpp"

#include <nlohmann/json.hpp>

#include "simgpu/device/versions.hpp"

namespace simgpu {

std::string cudnn_device_properties(const Profile& profile) {
  return nlohmann::json{
      {"deviceVer", 100 * profile.compute_capability_major + 10 * profile.compute_capability_minor},
      {"multiProcessorCount", profile.multiprocessor_count},
      {"warpSize", 32},
      {"maxSharedMemoryPerBlock", profile.shared_memory_per_block_bytes},
      {"maxSharedMemoryPerBlockOptin", profile.shared_memory_per_block_optin_bytes},
      {"reservedSharedMemoryPerBlock", profile.reserved_shared_memory_per_block_bytes},
      {"maxRegistersPerSM", profile.registers_per_multiprocessor},
      {"regsPerBlock", profile.registers_per_block},
      {"maxCtasPerSM", profile.max_blocks_per_multiprocessor},
      {"maxThreadsPerBlock", 1024},
      {"maxThreadsPerSM", profile.max_threads_per_multiprocessor},
      {"totalGlobalMem", profile.total_memory_bytes},
      {"smClockRateKHz", profile.clock_rate_khz},
      {"memClockRateKHz", profile.memory_clock_rate_khz},
      {"l2CacheSize", profile.l2_cache_bytes},
      {"maxBlockSize", {1024, 1024, 64}},
      {"maxGridSize", {2147483647, 65535, 65535}},
      {"supportCoopLaunch", 1},
      {"pciDeviceId", 0},
      {"isTccDriver", 0},
      {"cudaDeviceId", 0},
      {"driverVer", driver_version},
      {"deviceName", profile.name},
  }
      .dump();
}

}  // namespace simgpu
