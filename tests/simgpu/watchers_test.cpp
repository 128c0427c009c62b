#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "simgpu/device/watchers.hpp"

namespace {

using namespace std::chrono_literals;

/// A collective in a stream and the event that tells of its end.
struct Collective {
  Collective() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
    simgpu::watch_collective(stream);
    EXPECT_EQ(cudaEventRecord(done, stream), cudaSuccess);
  }
  ~Collective() {
    cudaEventDestroy(done);
    cudaStreamDestroy(stream);
  }
  cudaStream_t stream = nullptr;
  cudaEvent_t done = nullptr;
};

auto time_of_synchronisation() {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return std::chrono::steady_clock::now() - start;
}

/// The thread below puts in no work, as Torch's watchdog does not.
TEST(Watchers, AreWaitedForWhereTheHostWaits) {
  const Collective collective;
  std::atomic<bool> seen{false};
  std::thread watchdog([&] {
    std::this_thread::sleep_for(60ms);
    seen = cudaEventQuery(collective.done) == cudaSuccess;
  });
  EXPECT_GE(time_of_synchronisation(), 60ms);
  EXPECT_TRUE(seen);
  watchdog.join();
}

TEST(Watchers, AreWaitedForOnce) {
  const Collective collective;
  std::thread([&] { EXPECT_EQ(cudaEventQuery(collective.done), cudaSuccess); }).join();
  EXPECT_LT(time_of_synchronisation(), 10ms);
}

TEST(Watchers, AreNotWaitedForByAProgramWithoutCollectives) {
  EXPECT_LT(time_of_synchronisation(), 10ms);
}

TEST(Watchers, AreNotWaitedForOnceTheirEventIsGone) {
  { const Collective collective; }
  EXPECT_LT(time_of_synchronisation(), 10ms);
}

TEST(Watchers, AreGivenUpWhereNobodyWatches) {
  for (int time = 0; time < 3; ++time) {
    const Collective collective;
    EXPECT_GE(time_of_synchronisation(), 250ms);
  }
  const Collective collective;
  EXPECT_LT(time_of_synchronisation(), 10ms);
}

}  // namespace
