#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "simgpu/nvml/types.hpp"

using namespace simgpu::nvml;

extern "C" {
int nvmlInit_v2();
int nvmlDeviceGetCount_v2(unsigned*);
int nvmlDeviceGetHandleByIndex_v2(unsigned, Device*);
int nvmlDeviceGetHandleByPciBusId_v2(const char*, Device*);
int nvmlDeviceGetHandleByUUID(const char*, Device*);
int nvmlDeviceGetUUID(Device, char*, unsigned);
int nvmlDeviceGetName(Device, char*, unsigned);
int nvmlDeviceGetMemoryInfo(Device, Memory*);
int nvmlDeviceGetComputeRunningProcesses(Device, unsigned*, ProcessV1*);
int nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned*, ProcessV2*);
}

namespace {

Device first_device() {
  Device device = nullptr;
  EXPECT_EQ(nvmlInit_v2(), success);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), success);
  return device;
}

TEST(Nvml, IsFoundByTheNameProgramsOpen) {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  EXPECT_NE(dlsym(library, "nvmlInit_v2"), nullptr);
  dlclose(library);
}

TEST(Nvml, CountsTheDevicesOfTheRuntime) {
  unsigned count = 0;
  int expected = -1;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), success);
  EXPECT_EQ(cudaGetDeviceCount(&expected), cudaSuccess);
  EXPECT_EQ(static_cast<int>(count), expected);
  Device none = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(count, &none), invalid_argument);
}

TEST(Nvml, TellsTheMemoryThatTheRuntimeTells) {
  void* block = nullptr;
  ASSERT_EQ(cudaMalloc(&block, 3 << 20), cudaSuccess);
  std::size_t free_bytes = 0, total_bytes = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  Memory memory{};
  EXPECT_EQ(nvmlDeviceGetMemoryInfo(first_device(), &memory), success);
  EXPECT_EQ(memory.total, total_bytes);
  EXPECT_EQ(memory.free, free_bytes);
  EXPECT_EQ(memory.used, total_bytes - free_bytes);
  cudaFree(block);
}

TEST(Nvml, ListsThisProcessWithContextAndBlocks) {
  void* block = nullptr;
  ASSERT_EQ(cudaMalloc(&block, 1), cudaSuccess);
  Memory memory{};
  EXPECT_EQ(nvmlDeviceGetMemoryInfo(first_device(), &memory), success);
  std::array<ProcessV2, 2> processes{};
  unsigned count = processes.size();
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(first_device(), &count, processes.data()),
            success);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(processes[0].pid, static_cast<unsigned>(getpid()));
  EXPECT_EQ(processes[0].used_memory, memory.used);
  cudaFree(block);
}

/// As Torch and pynvml ask: first with no room, then with as much as was named.
TEST(Nvml, NamesTheRoomItNeeds) {
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(first_device(), &count, nullptr),
            insufficient_size);
  EXPECT_EQ(count, 1u);
}

TEST(Nvml, FindsADeviceByWhatItSaysOfItself) {
  char uuid[96];
  ASSERT_EQ(nvmlDeviceGetUUID(first_device(), uuid, sizeof uuid), success);
  EXPECT_EQ(std::string(uuid), "GPU-73696d67-7075-0000-0000-000000000000");
  char bus[32];
  ASSERT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
  Device by_uuid = nullptr, by_bus = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &by_uuid), success);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(bus, &by_bus), success);
  EXPECT_EQ(by_uuid, first_device());
  EXPECT_EQ(by_bus, first_device());
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:7f:00.0", &by_bus), not_found);
}

TEST(Nvml, RefusesATextThatDoesNotFit) {
  char name[4];
  EXPECT_EQ(nvmlDeviceGetName(first_device(), name, sizeof name), insufficient_size);
}

}  // namespace
