#include "simgpu/device/shadow.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simgpu/device/kernels.hpp"
#include "simgpu/device/reads.hpp"

namespace simgpu {
namespace {

constexpr std::size_t page = 2 << 20;

class ShadowTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(cudaMalloc(&block_, page), cudaSuccess); }
  void TearDown() override { cudaFree(block_); }

  char* at(std::size_t offset) const { return static_cast<char*>(block_) + offset; }

  void write(std::size_t offset, const std::string& text) const {
    EXPECT_EQ(cudaMemcpy(at(offset), text.data(), text.size(), cudaMemcpyHostToDevice),
              cudaSuccess);
  }

  /// Zero bytes show as dots.
  std::string read(std::size_t offset, std::size_t bytes) const {
    std::string text(bytes, 'x');
    EXPECT_EQ(cudaMemcpy(text.data(), at(offset), bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    for (char& c : text)
      if (c == 0) c = '.';
    return text;
  }

 private:
  void* block_ = nullptr;
};

TEST_F(ShadowTest, ReadsBackWhatTheHostWrote) {
  write(10, "hello");
  EXPECT_EQ(read(8, 9), "..hello..");
  EXPECT_EQ(read(12, 2), "ll");
}

TEST_F(ShadowTest, KeepsBothEndsOfAnOverwrittenRange) {
  write(0, "abcdef");
  write(2, "XY");
  EXPECT_EQ(read(0, 6), "abXYef");
  EXPECT_EQ(cudaMemset(at(1), 7, 2), cudaSuccess);
  EXPECT_EQ(read(0, 6), "a..Yef");
}

TEST_F(ShadowTest, FollowsCopiesOnTheDevice) {
  write(0, "abc");
  write(100, "uvwxyz");
  EXPECT_EQ(cudaMemcpyAsync(at(101), at(1), 4, cudaMemcpyDeviceToDevice, nullptr), cudaSuccess);
  EXPECT_EQ(read(100, 6), "ubc..z");
}

TEST_F(ShadowTest, CopiesARangeOntoItself) {
  write(0, "abcd");
  EXPECT_EQ(cudaMemcpy(at(1), at(0), 4, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(read(0, 5), "aabcd");
}

TEST_F(ShadowTest, ForgetsLongWritesAndWhatTheyCover) {
  write(max_shadow_bytes - 1, "abc");
  write(0, std::string(max_shadow_bytes + 1, 'z'));
  EXPECT_EQ(read(max_shadow_bytes - 1, 3), "..c");
}

TEST_F(ShadowTest, EndsWithItsBlock) {
  void* first = nullptr;
  ASSERT_EQ(cudaMalloc(&first, page), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(first, "abc", 3, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  void* second = nullptr;
  ASSERT_EQ(cudaMalloc(&second, page), cudaSuccess);
  ASSERT_EQ(second, first);
  char seen = 'x';
  EXPECT_EQ(cudaMemcpy(&seen, second, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(cudaFree(second), cudaSuccess);
}

TEST_F(ShadowTest, EndsWithALaunchWhereNoProbeTellsOfReuse) {
  write(0, "abc");
  EXPECT_EQ(call_library(nullptr), cudaSuccess);
  EXPECT_EQ(read(0, 3), "...");
}

TEST_F(ShadowTest, IsNoUnknownRead) {
  write(0, "abc");
  const auto before = unknown_reads();
  read(0, 3);
  EXPECT_EQ(unknown_reads(), before);
  read(0, 4);
  EXPECT_EQ(unknown_reads(), before + 1);
}

TEST_F(ShadowTest, HasALimitInAll) {
  void* block = nullptr;
  ASSERT_EQ(cudaMalloc(&block, max_shadow_total_bytes + max_shadow_bytes), cudaSuccess);
  auto* const large = static_cast<char*>(block);
  const std::vector<char> ones(max_shadow_bytes, 1);
  for (std::size_t done = 0; done <= max_shadow_total_bytes; done += max_shadow_bytes)
    cudaMemcpy(large + done, ones.data(), ones.size(), cudaMemcpyHostToDevice);
  char first = 'x', last = 'x';
  cudaMemcpy(&first, large, 1, cudaMemcpyDeviceToHost);
  cudaMemcpy(&last, large + max_shadow_total_bytes, 1, cudaMemcpyDeviceToHost);
  EXPECT_EQ(first, 0);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(cudaFree(large), cudaSuccess);
}

}  // namespace
}  // namespace simgpu
