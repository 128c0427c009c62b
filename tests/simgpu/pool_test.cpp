#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "simgpu/device/pool.hpp"
#include "simgpu/device/report.hpp"

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t chunk = simgpu::pool_chunk_bytes;
constexpr std::size_t piece = simgpu::pool_piece_bytes;

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return free;
}

void* allocate(std::size_t bytes) {
  void* pointer = nullptr;
  EXPECT_EQ(cudaMallocAsync(&pointer, bytes, nullptr), cudaSuccess);
  return pointer;
}

void release(void* pointer) { EXPECT_EQ(cudaFreeAsync(pointer, nullptr), cudaSuccess); }

/// Starts and ends with a pool that holds nothing and keeps nothing.
class Pool : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool_, 0), cudaSuccess);
    empty();
    ASSERT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 0u);
    set(cudaMemPoolAttrUsedMemHigh, 0);
    set(cudaMemPoolAttrReservedMemHigh, 0);
  }

  void TearDown() override { empty(); }

  void empty() {
    set(cudaMemPoolAttrReleaseThreshold, 0);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  std::uint64_t get(cudaMemPoolAttr attribute) const {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool_, attribute, &value), cudaSuccess);
    return value;
  }

  void set(cudaMemPoolAttr attribute, std::uint64_t value) {
    EXPECT_EQ(cudaMemPoolSetAttribute(pool_, attribute, &value), cudaSuccess);
  }

  void keep_all() { set(cudaMemPoolAttrReleaseThreshold, UINT64_MAX); }

  cudaMemPool_t pool_ = nullptr;
};

TEST_F(Pool, PacksSmallBlocksIntoOneChunk) {
  const std::size_t before = free_bytes();
  void* first = allocate(1);
  void* second = allocate(piece + 1);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemCurrent), 3 * piece);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), chunk);
  EXPECT_EQ(free_bytes(), before - chunk);
  release(first);
  release(second);
}

TEST_F(Pool, GrowsByWholeChunks) {
  void* large = allocate(chunk + 1);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 2 * chunk);
  void* small = allocate(1);  // fits into what is left
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 2 * chunk);
  release(large);
  release(small);
}

TEST_F(Pool, KnowsEachBlockByItself) {
  char* first = static_cast<char*>(allocate(1));
  char* second = static_cast<char*>(allocate(1));
  release(first);
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, first), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, second), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaFreeAsync(first, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  release(second);
}

TEST_F(Pool, ReturnsUnusedMemoryWhenTheHostWaits) {
  const std::size_t before = free_bytes();
  release(allocate(chunk));
  EXPECT_EQ(free_bytes(), before - chunk);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 0u);
}

TEST_F(Pool, ReturnsUnusedMemoryWhenTheHostWaitsForAnEvent) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  release(allocate(1));
  EXPECT_EQ(cudaEventRecord(event, nullptr), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), chunk);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 0u);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(Pool, KeepsMemoryUpToItsThreshold) {
  set(cudaMemPoolAttrReleaseThreshold, chunk);
  EXPECT_EQ(get(cudaMemPoolAttrReleaseThreshold), chunk);
  void* first = allocate(chunk);
  void* second = allocate(chunk);
  release(first);
  release(second);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 2 * chunk);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), chunk);
}

TEST_F(Pool, ReusesWhatItKept) {
  keep_all();
  void* first = allocate(3 * mib);
  release(first);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(allocate(2 * mib), first);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemHigh), chunk);
  release(first);
}

TEST_F(Pool, IsTrimmedToWhatIsAskedOrUsed) {
  keep_all();
  void* used = allocate(chunk);
  void* other = allocate(chunk);
  release(other);
  EXPECT_EQ(cudaMemPoolTrimTo(pool_, 2 * chunk), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 2 * chunk);
  EXPECT_EQ(cudaMemPoolTrimTo(pool_, 0), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), chunk);
  release(used);
}

TEST_F(Pool, RemembersItsPeaksUntilTheyAreReset) {
  keep_all();
  void* kept = allocate(piece);
  release(allocate(mib));
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemHigh), mib + piece);
  set(cudaMemPoolAttrUsedMemHigh, 0);
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemHigh), piece);
  release(allocate(2 * chunk));
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemHigh), 3 * chunk);
  EXPECT_EQ(cudaMemPoolTrimTo(pool_, 0), cudaSuccess);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemHigh), 3 * chunk);
  set(cudaMemPoolAttrReservedMemHigh, 0);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemHigh), chunk);
  std::uint64_t one = 1;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &one),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  release(kept);
}

TEST_F(Pool, GivesWayToWhoeverNeedsItsUnusedMemory) {
  keep_all();
  release(allocate(chunk));
  const auto refused = simgpu::report_page().devices[0].failed_mallocs;
  void* rest = nullptr;
  EXPECT_EQ(cudaMalloc(&rest, free_bytes() + chunk), cudaSuccess);
  EXPECT_EQ(simgpu::report_page().devices[0].failed_mallocs, refused);
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 0u);
  void* more = &rest;
  EXPECT_EQ(cudaMallocAsync(&more, 1, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFree(rest), cudaSuccess);
}

TEST_F(Pool, TakesTheLastPagesWhereNoChunkFits) {
  void* rest = nullptr;
  ASSERT_EQ(cudaMalloc(&rest, free_bytes() - 2 * mib), cudaSuccess);
  release(allocate(mib));
  EXPECT_EQ(get(cudaMemPoolAttrReservedMemCurrent), 2 * mib);
  EXPECT_EQ(cudaFree(rest), cudaSuccess);
}

TEST_F(Pool, IsReportedAsMemoryOfTheDriver) {
  const auto& level = simgpu::report_page().devices[0].reserved;
  const auto before = level.now;
  keep_all();
  release(allocate(1));
  EXPECT_EQ(level.now, before + chunk);
}

TEST(PoolDeathTest, ShrinksOnTheDeviceThatIsWaitedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto wait_for_second_device = [] {
    setenv("SIMGPU_DEVICES", "2", 1);
    cudaEvent_t event = nullptr;
    cudaSetDevice(1);
    cudaEventCreate(&event);
    release(allocate(1));
    cudaEventRecord(event, nullptr);
    cudaSetDevice(0);
    release(allocate(1));
    cudaEventSynchronize(event);
    const bool is_good = simgpu::pool_usage(0).reserved.current_bytes == chunk &&
                         simgpu::pool_usage(1).reserved.current_bytes == 0;
    std::exit(is_good ? 0 : 1);
  };
  EXPECT_EXIT(wait_for_second_device(), testing::ExitedWithCode(0), "");
}

TEST(PoolDeathTest, StopsWhereAGraphWouldAllocate) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto capture = [] {
    cudaStream_t stream = nullptr;
    void* pointer = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    cudaMallocAsync(&pointer, 1, stream);
    std::exit(0);
  };
  EXPECT_DEATH(capture(), "cudaMallocAsync in a stream that is being captured");
}

void churn(std::latch& start) {
  start.arrive_and_wait();
  for (int round = 0; round < 2000; ++round) {
    void* held[8];
    for (void*& pointer : held) pointer = allocate(7 * mib);
    for (void* pointer : held) release(pointer);
    cudaStreamSynchronize(nullptr);
  }
}

TEST_F(Pool, IsSafeToUseFromManyThreads) {
  constexpr int count = 4;
  const std::size_t before = free_bytes();
  std::latch start(count);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread) threads.emplace_back(churn, std::ref(start));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(get(cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(free_bytes(), before);
}

}  // namespace
