#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t page = 2 * mib;

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return free;
}

void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess);
  return pointer;
}

cudaPointerAttributes attributes_of(const void* pointer) {
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
  return attributes;
}

TEST(Memory, ComesInAlignedPagesOfTwoMebibytes) {
  const std::size_t before = free_bytes();
  void* pointer = allocate(page + 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % page, 0u);
  EXPECT_EQ(free_bytes(), before - 2 * page);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(free_bytes(), before);
}

TEST(Memory, ReusesAFreedRange) {
  void* first = allocate(10 * mib);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(allocate(10 * mib), first);
}

TEST(Memory, OutlastsMoreAllocationsThanItHasAddresses) {
  for (int round = 0; round < 1000; ++round)  // 1000 x 100 GiB, six times the address space
    ASSERT_EQ(cudaFree(allocate(std::size_t{100} << 30)), cudaSuccess);
}

TEST(Memory, EndsAtItsCapacity) {
  void* rest = allocate(free_bytes() / page * page);
  void* more = &rest;
  EXPECT_EQ(cudaMalloc(&more, page), cudaErrorMemoryAllocation);
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFree(rest), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&more, page), cudaSuccess);
}

TEST(Memory, IsNotFreedTwice) {
  void* pointer = allocate(1);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(Memory, IsFreedByItsStartOnly) {
  char* pointer = static_cast<char*>(allocate(page));
  EXPECT_EQ(cudaFree(pointer + 512), cudaErrorInvalidValue);
  int on_stack = 0;
  EXPECT_EQ(cudaFree(&on_stack), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
}

TEST(Memory, KnowsDevicePinnedAndOrdinaryPointers) {
  char* device = static_cast<char*>(allocate(page));
  EXPECT_EQ(attributes_of(device + 5).type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes_of(device + 5).device, 0);
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, 1000, cudaHostAllocDefault), cudaSuccess);
  EXPECT_EQ(attributes_of(pinned).type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  int on_stack = 0;
  EXPECT_EQ(attributes_of(&on_stack).type, cudaMemoryTypeUnregistered);
}

TEST(Memory, RegistersHostMemoryOnce) {
  std::vector<char> memory(4096);
  EXPECT_EQ(cudaHostRegister(memory.data(), memory.size(), 0), cudaSuccess);
  EXPECT_EQ(attributes_of(memory.data() + 100).type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaHostRegister(memory.data(), memory.size(), 0),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(memory.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
}

/// Takes and frees eight blocks at a time, again and again.
void churn(std::latch& start) {
  start.arrive_and_wait();
  for (int round = 0; round < 5000; ++round) {
    void* held[8];
    for (void*& pointer : held) ASSERT_EQ(cudaMalloc(&pointer, page), cudaSuccess);
    for (void* pointer : held) ASSERT_EQ(cudaFree(pointer), cudaSuccess);
  }
}

TEST(Memory, IsSafeToAllocateFromManyThreads) {
  constexpr int count = 4;
  const std::size_t before = free_bytes();
  std::latch start(count);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread) threads.emplace_back(churn, std::ref(start));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(free_bytes(), before);
}

class MemoryDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void exit_with_order(const char* order) {
    setenv("SIMGPU_ADDRESS_ORDER", order, 1);
    void* first = nullptr;
    void* second = nullptr;
    cudaMalloc(&first, page);
    cudaMalloc(&second, page);
    std::exit(second < first ? 10 : 11);
  }
};

TEST_F(MemoryDeathTest, FallsOrRisesAsConfigured) {
  EXPECT_EXIT(exit_with_order("falling"), testing::ExitedWithCode(10), "");
  EXPECT_EXIT(exit_with_order("rising"), testing::ExitedWithCode(11), "");
}

TEST_F(MemoryDeathTest, HasTheConfiguredCapacityOnEveryDevice) {
  const auto fill_both = [] {
    setenv("SIMGPU_CAPACITY_BYTES", "1073741824", 1);  // less 528 MiB of context: 496 MiB
    setenv("SIMGPU_DEVICES", "2", 1);
    bool is_good = true;
    for (int device = 0; device < 2; ++device) {
      void* pointer = nullptr;
      is_good &= cudaSetDevice(device) == cudaSuccess;
      is_good &= cudaMalloc(&pointer, 496 * mib) == cudaSuccess;
      is_good &= attributes_of(pointer).device == device;
      is_good &= cudaMalloc(&pointer, 1) == cudaErrorMemoryAllocation;
    }
    std::exit(is_good ? 0 : 1);
  };
  EXPECT_EXIT(fill_both(), testing::ExitedWithCode(0), "");
}

/// In a process of its own: other tests leave memory behind in theirs.
TEST_F(MemoryDeathTest, CountsTheContextAsUsed) {
  const auto look = [] {
    std::size_t free = 0, total = 0;
    const bool is_good = cudaMemGetInfo(&free, &total) == cudaSuccess &&
                         total == 150'109'945'856u && free == total - 553'648'128u;
    std::exit(is_good ? 0 : 1);
  };
  EXPECT_EXIT(look(), testing::ExitedWithCode(0), "");
}

TEST_F(MemoryDeathTest, IsOutOfMemoryAtOnceWhereTheContextTakesAll) {
  const auto allocate_one = [] {
    setenv("SIMGPU_CAPACITY_BYTES", "52428800", 1);
    void* pointer = nullptr;
    const bool refused = cudaMalloc(&pointer, 1) == cudaErrorMemoryAllocation;
    std::exit(refused && free_bytes() == 0 ? 0 : 1);
  };
  EXPECT_EXIT(allocate_one(), testing::ExitedWithCode(0), "");
}

}  // namespace
