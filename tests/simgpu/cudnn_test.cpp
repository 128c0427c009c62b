#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "simgpu/device/cudnn_properties.hpp"
#include "simgpu/device/profile.hpp"
#include "simgpu/device/unknown_sizes.hpp"

extern "C" {
int cudnnCreate(void** handle);
int cudnnDestroy(void* handle);
int cudnnSetStream(void* handle, void* stream);
int cudnnGetStream(void* handle, void** stream);
int cudnnRNNForward(...);
int cudnnGetConvolutionForwardAlgorithm_v7(...);
void cudnnCreateTensorDescriptor();  // generated functions take what they are given
int cublasLtMatmulPreferenceCreate(void** preference);
int cublasLtMatmulPreferenceSetAttribute(void* preference, int attribute, const void* value,
                                         std::size_t bytes);
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int requested,
                                   void* results, int* found);
}

namespace {

/// In a child process: settings are read once in each.
class CudnnDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CudnnDeathTest, SaysWhatToDoWithoutNvidiasLibrary) {
  EXPECT_EXIT((unsetenv("SIMGPU_CUDNN_DIR"), cudnnCreateTensorDescriptor()),
              testing::ExitedWithCode(2),
              "calls cudnnCreateTensorDescriptor, .* Set SIMGPU_CUDNN_DIR .*install_cudnn.sh");
}

TEST_F(CudnnDeathTest, NamesAFolderThatHoldsNone) {
  EXPECT_EXIT((setenv("SIMGPU_CUDNN_DIR", "/nowhere", 1), cudnnCreateTensorDescriptor()),
              testing::ExitedWithCode(2), "/nowhere/libcudnn.so.9");
}

TEST_F(CudnnDeathTest, StopsAtWhatTakesADeviceAndSaysWhatToDoInstead) {
  EXPECT_DEATH(cudnnRNNForward(), "cudnnRNNForward .cuDNN. is not simulated");
  EXPECT_DEATH(cudnnRNNForward(), "recurrent layers");
  EXPECT_DEATH(cudnnGetConvolutionForwardAlgorithm_v7(), "TORCH_CUDNN_V8_API_DISABLED");
}

TEST(Cudnn, KeepsTheStreamOfItsOwnHandles) {
  void* handle = nullptr;
  ASSERT_EQ(cudnnCreate(&handle), 0);
  int stream = 0;
  void* found = nullptr;
  EXPECT_EQ(cudnnSetStream(handle, &stream), 0);
  EXPECT_EQ(cudnnGetStream(handle, &found), 0);
  EXPECT_EQ(found, &stream);
  EXPECT_EQ(cudnnDestroy(handle), 0);
}

/// The members that cuDNN 9.19 asks for, of the published H200.
TEST(Cudnn, IsToldTheProfileAsJson) {
  const std::string json =
      simgpu::cudnn_device_properties(simgpu::load_profile(SIMGPU_PROFILE_DIR "/h200.json"));
  EXPECT_EQ(std::count(json.begin(), json.end(), ':'), 23);
  for (const char* member :
       {"\"deviceVer\":900", "\"multiProcessorCount\":132", "\"maxBlockSize\":[1024,1024,64]",
        "\"maxThreadsPerSM\":2048", "\"deviceName\":\"NVIDIA H200\""})
    EXPECT_NE(json.find(member), std::string::npos) << member << " in " << json;
}

/// Torch allocates the workspace it offers before it asks: the limit must not come back to it.
TEST(Cudnn, IsTheOnlyCallerToldThatAProductNeedsWorkspace) {
  void* preference = nullptr;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), 0);
  const std::uint64_t limit = 4 << 20;
  ASSERT_EQ(cublasLtMatmulPreferenceSetAttribute(preference, 1, &limit, sizeof limit), 0);
  std::uint64_t result[12] = {};
  int found = 0;
  const std::uint64_t before = simgpu_unknown_sizes();
  ASSERT_EQ(cublasLtMatmulAlgoGetHeuristic(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                           preference, 1, result, &found),
            0);
  EXPECT_EQ(result[8], 0u);
  EXPECT_EQ(simgpu_unknown_sizes(), before);
}

TEST(UnknownSizes, CountOnlyWhereTheBoundsDiffer) {
  const std::uint64_t before = simgpu_unknown_sizes();
  EXPECT_EQ(simgpu::answer_unknown_size("known", 7, 7), 7u);
  EXPECT_EQ(simgpu_unknown_sizes(), before);
  EXPECT_EQ(simgpu::answer_unknown_size("bounded", 0, 7), 0u);
  EXPECT_EQ(simgpu_unknown_sizes(), before + 1);
}

}  // namespace
