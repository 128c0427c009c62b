#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/own_path.hpp"

namespace {

constexpr std::size_t page = 2 << 20;

char* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
  return static_cast<char*>(pointer);
}

TEST(Copy, ReadsZerosFromTheDevice) {
  const char* device = allocate(page);
  std::vector<char> host(5, 'x');
  EXPECT_EQ(cudaMemcpy(host.data(), device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, (std::vector<char>{0, 0, 0, 0, 'x'}));
}

std::size_t resident_pages(void* start, std::size_t bytes) {
  std::vector<unsigned char> pages(bytes / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(mincore(start, bytes, pages.data()), 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(pages, [](auto p) { return (p & 1) != 0; }));
}

TEST(Copy, IntoPinnedMemoryReadsZerosThatTakeNoMemory) {
  const char* device = allocate(page);
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, page, 0), cudaSuccess);
  char* const host = static_cast<char*>(pinned);
  std::memset(host, 'x', page);
  EXPECT_EQ(cudaMemcpy(host + 1, device, page - 2, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(resident_pages(host, page), 2U);  // the first and the last are not whole
  EXPECT_EQ(host[0], 'x');
  EXPECT_EQ(host[page - 1], 'x');
  EXPECT_TRUE(std::all_of(host + 1, host + page - 1, [](char c) { return c == 0; }));
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(Copy, ReallyCopiesBetweenHostRanges) {
  const std::vector<char> source{'a', 'b', 'c'};
  std::vector<char> target(3);
  EXPECT_EQ(cudaMemcpyAsync(target.data(), source.data(), 3, cudaMemcpyHostToHost, nullptr),
            cudaSuccess);
  EXPECT_EQ(target, source);
}

TEST(Copy, WritesToTheDeviceIntoNothing) {
  char* device = allocate(page);
  const std::vector<char> host(100, 'x');
  EXPECT_EQ(cudaMemcpy(device, host.data(), 100, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(device, 1, page), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device, device + 100, 100, cudaMemcpyDeviceToDevice), cudaSuccess);
}

TEST(Copy, RefusesARangeThatLeavesItsBlock) {
  char* device = allocate(page);
  std::vector<char> host(100);
  EXPECT_EQ(cudaMemcpy(host.data(), device + page - 50, 100, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host.data(), device, 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
}

TEST(Copy, LeavesTheGapsOfAPitchedTargetAlone) {
  const char* device = allocate(page);
  std::vector<char> host(8, 'x');
  EXPECT_EQ(cudaMemcpy2DAsync(host.data(), 4, device, 16, 3, 2, cudaMemcpyDeviceToHost, nullptr),
            cudaSuccess);
  EXPECT_EQ(host, (std::vector<char>{0, 0, 0, 'x', 0, 0, 0, 'x'}));
}

/// Statements run by EXPECT_EXIT start in a fresh process, which reads the environment anew.
template <class Value>
int first_read_with(const char* setting) {
  setenv("SIMGPU_READS", setting, 1);
  Value value{};
  cudaMemcpy(&value, allocate(page), sizeof value, cudaMemcpyDeviceToHost);
  return static_cast<int>(value);
}

TEST(CopyDeathTest, AnswersReadsAsTold) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(first_read_with<bool>("ones")), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(std::exit(first_read_with<std::int64_t>("ones")), testing::ExitedWithCode(1), "");
  const std::string script = ::testing_support::own_path("answers.txt");
  std::ofstream(script) << "f32 42\n";
  EXPECT_EXIT(std::exit(first_read_with<float>(script.c_str())), testing::ExitedWithCode(42), "");
  EXPECT_EXIT(first_read_with<char>(script.c_str()), testing::ExitedWithCode(2), "answers with 4");
  EXPECT_EXIT(first_read_with<char>("no/such/file"), testing::ExitedWithCode(2), "SIMGPU_READS");
}

}  // namespace
