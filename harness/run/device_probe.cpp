#include "harness/run/device_probe.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "harness/core/error.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/run/cuda_runtime.hpp"
#include "harness/run/device_session.hpp"

namespace highwater {
namespace {

using nlohmann::json;

struct AskedKey {
  const char* key;
  int attribute;
};

/// Keys of a device profile (simgpu/profiles/schema) and the attributes that answer them.
constexpr AskedKey profile_keys[] = {
    {"compute_capability_major", cudaDevAttrComputeCapabilityMajor},
    {"compute_capability_minor", cudaDevAttrComputeCapabilityMinor},
    {"multiprocessor_count", cudaDevAttrMultiProcessorCount},
    {"max_threads_per_multiprocessor", cudaDevAttrMaxThreadsPerMultiProcessor},
    {"max_blocks_per_multiprocessor", cudaDevAttrMaxBlocksPerMultiprocessor},
    {"registers_per_multiprocessor", cudaDevAttrMaxRegistersPerMultiprocessor},
    {"registers_per_block", cudaDevAttrMaxRegistersPerBlock},
    {"shared_memory_per_block_bytes", cudaDevAttrMaxSharedMemoryPerBlock},
    {"shared_memory_per_block_optin_bytes", cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {"shared_memory_per_multiprocessor_bytes", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {"reserved_shared_memory_per_block_bytes", cudaDevAttrReservedSharedMemoryPerBlock},
    {"l2_cache_bytes", cudaDevAttrL2CacheSize},
    {"persisting_l2_cache_max_bytes", cudaDevAttrMaxPersistingL2CacheSize},
    {"access_policy_window_max_bytes", cudaDevAttrMaxAccessPolicyWindowSize},
    {"clock_rate_khz", cudaDevAttrClockRate},
    {"memory_clock_rate_khz", cudaDevAttrMemoryClockRate},
    {"memory_bus_width_bits", cudaDevAttrGlobalMemoryBusWidth},
    {"async_engine_count", cudaDevAttrAsyncEngineCount},
    {"single_to_double_performance_ratio", cudaDevAttrSingleToDoublePrecisionPerfRatio},
    {"memory_sync_domain_count", cudaDevAttrMemSyncDomainCount},
    {"ecc_enabled", cudaDevAttrEccEnabled},
    {"cluster_launch", cudaDevAttrClusterLaunch},
    {"tensor_map_access", CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED},
    {"gpu_direct_rdma", cudaDevAttrGPUDirectRDMASupported},
};

/// Members of cuDNN's device properties. deviceVer, totalGlobalMem, cudaDeviceId, driverVer,
/// deviceName and the two arrays are not single attributes.
constexpr AskedKey cudnn_keys[] = {
    {"multiProcessorCount", cudaDevAttrMultiProcessorCount},
    {"warpSize", cudaDevAttrWarpSize},
    {"maxSharedMemoryPerBlock", cudaDevAttrMaxSharedMemoryPerBlock},
    {"maxSharedMemoryPerBlockOptin", cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {"reservedSharedMemoryPerBlock", cudaDevAttrReservedSharedMemoryPerBlock},
    {"maxRegistersPerSM", cudaDevAttrMaxRegistersPerMultiprocessor},
    {"regsPerBlock", cudaDevAttrMaxRegistersPerBlock},
    {"maxCtasPerSM", cudaDevAttrMaxBlocksPerMultiprocessor},
    {"maxThreadsPerBlock", cudaDevAttrMaxThreadsPerBlock},
    {"maxThreadsPerSM", cudaDevAttrMaxThreadsPerMultiProcessor},
    {"smClockRateKHz", cudaDevAttrClockRate},
    {"memClockRateKHz", cudaDevAttrMemoryClockRate},
    {"l2CacheSize", cudaDevAttrL2CacheSize},
    {"supportCoopLaunch", cudaDevAttrCooperativeLaunch},
    {"pciDeviceId", cudaDevAttrPciDeviceId},
    {"isTccDriver", cudaDevAttrTccDriver},
};

/// A key that the runtime does not answer stays out: the reader of profiles takes it from the
/// compute capability, or says by name that it is missing.
json answers(std::span<const AskedKey> keys) {
  json found = json::object();
  for (const auto& [key, attribute] : keys) {
    if (const auto value = cuda_attribute(attribute, 0)) found[key] = *value;
  }
  return found;
}

json source(json keys, const char* basis, const std::string& text) {
  return {{"keys", std::move(keys)}, {"basis", basis}, {"text", text}};
}

json keys_of(const json& object) {
  json keys = json::array();
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

std::string card(const CudaDevice& device) {
  const int version = cuda_driver_version();
  return (cuda_is_simulated() ? "the simulated " : "this ") + device.name +
         " under a driver for CUDA " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// Two cards answer whether they reach each other's memory; one alone cannot be asked.
void add_peer_access(json& profile, json& sources, const std::string& card) {
  if (cuda_device_count() > 1) {
    profile["peer_access"] = cuda_can_access_peer(0, 1) ? 1 : 0;
    sources.push_back(source({"peer_access"}, "measured", card + " and its neighbour"));
  } else {
    profile["peer_access"] = profile.value("gpu_direct_rdma", 0);
    sources.push_back(source({"peer_access"}, "estimate",
                             "as gpu_direct_rdma: data-centre cards have both, GeForce neither; " +
                                 card + " was alone and could not be asked"));
  }
}

json profile_of(const CudaDevice& device, const CudaMemory& memory) {
  const std::string where = card(device);
  json profile = answers(profile_keys);
  profile["name"] = device.name;
  profile["total_memory_bytes"] = device.total_memory;
  json sources = {source(keys_of(profile), "measured", where)};
  profile["context_bytes"] = memory.total - memory.free;
  sources.push_back(source({"context_bytes"}, "measured",
                           "total minus free memory once the context was made, on " + where +
                               "; other processes on the card would count in"));
  add_peer_access(profile, sources, where);
  profile["sources"] = std::move(sources);
  return profile;
}

json dimensions(int x, int y, int z) {
  json sizes = json::array();
  for (const int attribute : {x, y, z}) sizes.push_back(cuda_attribute(attribute, 0).value_or(0));
  return sizes;
}

json cudnn_device_of(const CudaDevice& device) {
  json properties = answers(cudnn_keys);
  properties["deviceVer"] = 100 * device.capability_major + 10 * device.capability_minor;
  properties["totalGlobalMem"] = device.total_memory;
  properties["maxBlockSize"] =
      dimensions(cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ);
  properties["maxGridSize"] =
      dimensions(cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ);
  properties["cudaDeviceId"] = 0;
  properties["driverVer"] = cuda_driver_version();
  properties["deviceName"] = device.name;
  return properties;
}

DeviceSummary summary(const CudaDevice& device) {
  return {.name = device.name,
          .compute_capability = std::to_string(device.capability_major) + "." +
                                std::to_string(device.capability_minor),
          .total_memory_bytes = device.total_memory,
          .multiprocessor_count = device.multiprocessors};
}

}  // namespace

DeviceProbe probe_device(const std::string& name) {
  const DeviceSession session(name);
  if (session.is_cpu()) throw UsageError("a device profile describes a GPU, not the CPU");
  const CudaMemory memory = cuda_memory();
  DeviceProbe probe;
  for (int index = 0; index < cuda_device_count(); ++index)
    probe.devices.push_back(summary(cuda_device(index)));
  probe.profile = profile_of(cuda_device(0), memory);
  probe.cudnn_device = cudnn_device_of(cuda_device(0));
  return probe;
}

}  // namespace highwater
