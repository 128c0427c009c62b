#include <unistd.h>

#include <initializer_list>

#include "simgpu/device/capacity.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/nvml/device.hpp"

/// Consistent with cudaMemGetInfo: the same total (a real device shows a little more here, which
/// the driver keeps for itself), and the context counted as used. Of the processes on a device only
/// this one is known; it is listed from its first use of the device, as a context would make it.

using namespace simgpu;
using namespace simgpu::nvml;

namespace {

Memory memory_of(Device device) {
  const MemoryInfo info = memory_info(ordinal_of(device));
  return {info.total_bytes, info.free_bytes, info.total_bytes - info.free_bytes};
}

/// Fills a list of one or no process. `count` is the room in it, then the number of processes.
template <class Process>
int list_processes(Device device, unsigned* count, Process* processes) {
  const unsigned room = *count;
  *count = is_device_used(ordinal_of(device)) ? 1 : 0;
  if (*count > room) return insufficient_size;
  if (*count == 0) return success;
  processes[0] = {};
  processes[0].pid = static_cast<unsigned>(getpid());
  processes[0].used_memory = memory_of(device).used;
  if constexpr (requires { processes[0].gpu_instance; })
    processes[0].gpu_instance = processes[0].compute_instance = ~0u;  // not partitioned (MIG)
  return success;
}

int no_processes(unsigned* count) {
  *count = 0;
  return success;
}

}  // namespace

SIMGPU_EXPORT int nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  *memory = memory_of(device);
  return success;
}

SIMGPU_EXPORT int nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
  const auto [total, free, used] = memory_of(device);
  *memory = {memory->version, total, 0, free, used};
  return success;
}

/// Nothing ever runs, so no share of any time is spent running.
SIMGPU_EXPORT int nvmlDeviceGetUtilizationRates(Device, Utilization* utilization) {
  *utilization = {};
  return success;
}

SIMGPU_EXPORT int nvmlDeviceGetComputeRunningProcesses(Device device, unsigned* count,
                                                       ProcessV1* processes) {
  return list_processes(device, count, processes);
}

SIMGPU_EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count,
                                                          ProcessV2* processes) {
  return list_processes(device, count, processes);
}

SIMGPU_EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count,
                                                          ProcessV2* processes) {
  return list_processes(device, count, processes);
}

SIMGPU_EXPORT int nvmlDeviceGetGraphicsRunningProcesses_v3(Device, unsigned* count, ProcessV2*) {
  return no_processes(count);
}
