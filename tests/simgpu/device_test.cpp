#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "simgpu/device/attributes.hpp"
#include "simgpu/device/embedded_image.hpp"
#include "simgpu/device/profile.hpp"

namespace {

/// Statements run by EXPECT_EXIT start in a fresh process (threadsafe style), so the environment
/// they set is read there for the first time.
class DeviceDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

int attribute(cudaDeviceAttr which) {
  int value = -1;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess);
  return value;
}

TEST(Device, AnswersPropertiesAndAttributesAlike) {
  cudaDeviceProp seen;
  ASSERT_EQ(cudaGetDeviceProperties(&seen, 0), cudaSuccess);
  EXPECT_STREQ(seen.name, "NVIDIA H200");
  EXPECT_EQ(seen.totalGlobalMem, 150'109'945'856u);
  EXPECT_EQ(seen.multiProcessorCount, attribute(cudaDevAttrMultiProcessorCount));
  EXPECT_EQ(seen.sharedMemPerBlockOptin,
            static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
  EXPECT_EQ(seen.maxThreadsDim[2], 64);
  EXPECT_EQ(seen.maxGridSize[0], 2147483647);
  EXPECT_EQ(seen.clusterLaunch, 1);
}

TEST(Device, KeepsTheLastErrorUntilItIsAskedFor) {
  EXPECT_EQ(cudaSetDevice(5), cudaErrorInvalidDevice);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Device, NamesItsErrorsAsTheRuntimeDoes) {
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(Device, GivesKernelsTheVersionOfTheirEmbeddedImage) {
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, nullptr), cudaSuccess);
  EXPECT_EQ(attributes.ptxVersion, 90);
  EXPECT_EQ(attributes.binaryVersion, 90);
}

TEST(Device, KeepsThePriorityOfAStream) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -3), cudaSuccess);
  int priority = 0;
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, -3);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(Device, LimitsOccupancyByThreadsAndSharedMemory) {
  const auto blocks = [](int threads, std::size_t shared_bytes) {
    int count = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, nullptr, threads, shared_bytes),
              cudaSuccess);
    return count;
  };
  EXPECT_EQ(blocks(1024, 0), 2);
  EXPECT_EQ(blocks(32, 0), 32);
  EXPECT_EQ(blocks(256, 99 * 1024), 2);  // 228 KiB hold two blocks of 99 + 1 KiB
}

TEST_F(DeviceDeathTest, StopsAtAnUnknownAttributeByNumber) {
  int value = 0;
  EXPECT_DEATH(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(4711), 0),
               "cudaDeviceGetAttribute, attribute 4711 .* is not simulated");
}

TEST_F(DeviceDeathTest, AnswersEveryListedAttributeOfEveryProfile) {
  for (const auto& entry : std::filesystem::directory_iterator(SIMGPU_PROFILE_DIR)) {
    if (entry.path().extension() != ".json") continue;
    const simgpu::Profile profile = simgpu::load_profile(entry.path());
    if (!simgpu::embedded_image_for(simgpu::architecture(profile))) continue;  // refused, see below
    const auto ask_all = [&] {
      setenv("SIMGPU_PROFILE", entry.path().c_str(), 1);
      bool is_good = true;
      for (const auto& [number, field] : simgpu::field_attributes())
        is_good &= attribute(static_cast<cudaDeviceAttr>(number)) == simgpu::profile().*field;
      for (const auto& [number, expected] : simgpu::fixed_attributes())
        is_good &= attribute(static_cast<cudaDeviceAttr>(number)) == expected;
      cudaDeviceProp properties;
      is_good &= cudaGetDeviceProperties(&properties, 0) == cudaSuccess;
      std::exit(is_good ? 0 : 1);
    };
    EXPECT_EXIT(ask_all(), testing::ExitedWithCode(0), "") << entry.path();
  }
}

TEST_F(DeviceDeathTest, RefusesACardThatThisTorchHasNoKernelsFor) {
  const auto use = [](const std::filesystem::path& profile) {
    setenv("SIMGPU_PROFILE", profile.c_str(), 1);
    int count = 0;
    cudaGetDeviceCount(&count);
    std::exit(0);
  };
  int refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SIMGPU_PROFILE_DIR)) {
    if (entry.path().extension() != ".json") continue;
    const simgpu::Profile profile = simgpu::load_profile(entry.path());
    if (simgpu::embedded_image_for(simgpu::architecture(profile))) continue;
    EXPECT_EXIT(use(entry.path()), testing::ExitedWithCode(2),
                "this Torch holds kernels for the compute capabilities .* and none that a card of "
                ".*" +
                    profile.name);
    ++refused;
  }
  EXPECT_GE(refused, 1) << "every release lacks kernels for the oldest or for the newest card";
}

TEST_F(DeviceDeathTest, GivesAnAdaCardTheAmpereImage) {
  const auto ask = [] {
    setenv("SIMGPU_PROFILE", SIMGPU_PROFILE_DIR "/rtx-4090.json", 1);
    cudaFuncAttributes attributes;
    const bool is_good =
        cudaFuncGetAttributes(&attributes, nullptr) == cudaSuccess && attributes.ptxVersion == 86;
    std::exit(is_good ? 0 : 1);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0), "");
}

TEST_F(DeviceDeathTest, SaysNoDeviceWhenThereIsNone) {
  const auto ask = [] {
    setenv("SIMGPU_DEVICES", "0", 1);
    unsetenv("SIMGPU_PROFILE");
    int count = -1;
    void* pointer = nullptr;
    const bool is_good = cudaGetDeviceCount(&count) == cudaErrorNoDevice && count == 0 &&
                         cudaSetDevice(0) == cudaErrorNoDevice &&
                         cudaMalloc(&pointer, 1) == cudaErrorNoDevice;
    std::exit(is_good ? 0 : 1);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0), "");
}

TEST_F(DeviceDeathTest, LeavesWithCodeTwoAtFirstUseOfAWrongConfiguration) {
  const auto use_with = [](const char* variable, const char* value) {
    setenv(variable, value, 1);
    int count = 0;
    cudaGetDeviceCount(&count);
    std::exit(0);
  };
  EXPECT_EXIT(use_with("SIMGPU_PROFILE", ""), testing::ExitedWithCode(2),
              "SIMGPU_PROFILE names no profile");
  EXPECT_EXIT(use_with("SIMGPU_PROFILE", "missing.json"), testing::ExitedWithCode(2),
              "missing.json .* cannot be opened");
  EXPECT_EXIT(use_with("SIMGPU_DEVICES", "many"), testing::ExitedWithCode(2),
              "SIMGPU_DEVICES is 'many'");
}

}  // namespace
