#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/simgpu/probe_process.hpp"

namespace {

std::string cudnn_folder() {
  for (const char* name : {"HIGHWATER_CUDNN_DIR", "SIMGPU_CUDNN_DIR"})
    if (const char* folder = std::getenv(name)) return folder;
  return {};
}

Outcome with_cudnn(const std::string& name, Environment changes = {}) {
  changes["SIMGPU_CUDNN_DIR"] = cudnn_folder();
  return probe(name, changes);
}

#define NEEDS_CUDNN()                                                               \
  do {                                                                              \
    if (cudnn_folder().empty())                                                     \
      GTEST_SKIP() << "needs NVIDIA's cuDNN: run scripts/install_cudnn.sh and set " \
                      "HIGHWATER_CUDNN_DIR to the folder it prints";                \
  } while (false)

/// Every kind of convolution runs, twice alike, and lies between its bounds.
class ConvolutionUnderSimulation : public testing::TestWithParam<const char*> {};

TEST_P(ConvolutionUnderSimulation, TakesTheSameBytesEveryTimeAndNoLessAtTheUpperBound) {
  NEEDS_CUDNN();
  const std::string name = std::string("convolution_") + GetParam();
  const Outcome low = with_cudnn(name);
  ASSERT_EQ(low.status, 0) << low.text;
  EXPECT_EQ(with_cudnn(name).text, low.text);
  const Outcome high = with_cudnn(name, {{"SIMGPU_UNKNOWN_SIZES", "high"}});
  EXPECT_GE(high["peak"], low["peak"]);
  EXPECT_TRUE(low["unknown"] > 0 || high["peak"] == low["peak"]) << high.text;
}

INSTANTIATE_TEST_SUITE_P(, ConvolutionUnderSimulation,
                         testing::Values("1d", "2d", "3d", "tf32", "fp16", "bf16",
                                         "bf16_channels_last", "3d_bf16_channels_last",
                                         "channels_last", "grouped", "depthwise", "dilated",
                                         "transposed", "transposed_bf16"));

/// The output, [4, 768, 14, 14] in bfloat16, and the workspace that a recorded trace of an H100
/// shows.
TEST(CudnnUnderSimulation, PlansTheWorkspaceThatARealCardTook) {
  NEEDS_CUDNN();
  const Outcome seen =
      with_cudnn("cudnn_patches", {{"SIMGPU_PROFILE", SIMGPU_PROFILE_DIR "/h100-sxm.json"}});
  EXPECT_EQ(seen["peak"], 4 * 768 * 14 * 14 * 2 + 7'561'232) << seen.text;
}

/// Three gradients of [2, 4, 256, 64] in bfloat16 and the scratch of 4 B H T (D + 1) + 256 bytes.
TEST(CudnnUnderSimulation, PlansTheScratchOfAttention) {
  NEEDS_CUDNN();
  const Outcome seen = with_cudnn("cudnn_attention");
  EXPECT_EQ(seen["peak"], 3 * (2 * 4 * 256 * 64 * 2) + 4 * 2 * 4 * 256 * 65 + 256) << seen.text;
}

TEST(CudnnUnderSimulation, NormalisesContiguousBatchesWithoutWorkspace) {
  NEEDS_CUDNN();
  const Outcome seen = with_cudnn("cudnn_batch_norm");
  EXPECT_EQ(seen["peak"], 8 * 64 * 16 * 16 * 4 + 2 * 64 * 4) << seen.text;
  EXPECT_EQ(seen["unknown"], 0);
}

TEST(CudnnUnderSimulation, RefusesWhatTakesADevice) {
  NEEDS_CUDNN();
  const Outcome norm = with_cudnn("cudnn_batch_norm_channels_last");
  EXPECT_NE(norm.text.find("its sizes are not known where channels come last"), std::string::npos)
      << norm.text;
  const Outcome search = with_cudnn("cudnn_search");
  EXPECT_NE(search.text.find("leave torch.backends.cudnn.benchmark off"), std::string::npos)
      << search.text;
}

TEST(CudnnUnderSimulation, IsNotLookedForBeforeItIsCalled) {
  EXPECT_EQ(probe("cudnn_none", {{"SIMGPU_CUDNN_DIR", "/nowhere"}}).status, 0);
  const Outcome without = probe("convolution_2d", {{"SIMGPU_CUDNN_DIR", ""}});
  EXPECT_EQ(WEXITSTATUS(without.status), 2);
  EXPECT_NE(without.text.find("install_cudnn.sh"), std::string::npos) << without.text;
}

}  // namespace
