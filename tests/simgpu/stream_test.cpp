#include "simgpu/device/stream.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "simgpu/device/clock.hpp"

namespace simgpu {
namespace {

class Streams : public testing::Test {
 protected:
  static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t handle = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&handle, flags), cudaSuccess);
    return handle;
  }
  static cudaEvent_t event(unsigned flags = cudaEventDefault) {
    cudaEvent_t handle = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&handle, flags), cudaSuccess);
    return handle;
  }
  static void work(cudaStream_t stream, int pieces = 1) {
    for (int i = 0; i < pieces; ++i)
      EXPECT_EQ(enqueue(stream, WorkKind::library, [] {}), cudaSuccess);
  }
  static cudaEvent_t recorded(cudaStream_t stream, unsigned flags = cudaEventDefault) {
    const cudaEvent_t handle = event(flags);
    EXPECT_EQ(cudaEventRecord(handle, stream), cudaSuccess);
    return handle;
  }
};

TEST_F(Streams, AreBusyUntilTheHostWaits) {
  const cudaStream_t busy = stream();
  EXPECT_EQ(cudaStreamQuery(busy), cudaSuccess);
  work(busy, 10);
  const cudaEvent_t done = recorded(busy);
  EXPECT_EQ(cudaEventQuery(done), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(busy), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(busy), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(done), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(busy), cudaSuccess);
}

TEST_F(Streams, FinishWorkBeforeAnEventThatIsWaitedFor) {
  const cudaStream_t busy = stream();
  work(busy, 10);
  const cudaEvent_t first = recorded(busy);
  work(busy, 10);
  const cudaEvent_t second = recorded(busy);
  EXPECT_EQ(cudaEventSynchronize(first), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(first), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(second), cudaErrorNotReady);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(second), cudaSuccess);
}

TEST_F(Streams, DoATickOfWorkWithEveryQuestion) {
  const cudaStream_t busy = stream();
  work(busy, 5);
  const cudaEvent_t done = recorded(busy);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(cudaEventQuery(done), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(done), cudaSuccess);
}

TEST_F(Streams, EndLoopsThatPoll) {
  const cudaStream_t busy = stream();
  work(busy, 1000);
  const cudaEvent_t done = recorded(busy);
  int questions = 1;
  while (cudaEventQuery(done) != cudaSuccess) ++questions;
  EXPECT_EQ(questions, polling_patience + 1);
  EXPECT_EQ(cudaStreamQuery(busy), cudaSuccess);
}

TEST_F(Streams, LetThreadsThatOnlyWatchChangeNothing) {
  const cudaStream_t busy = stream();
  work(busy, 100);
  const cudaEvent_t done = recorded(busy);
  std::thread([&] {
    for (int i = 0; i < polling_patience; ++i) EXPECT_EQ(cudaEventQuery(done), cudaErrorNotReady);
    EXPECT_EQ(cudaEventQuery(done), cudaSuccess);
  }).join();
  EXPECT_EQ(cudaEventQuery(done), cudaErrorNotReady);
}

TEST_F(Streams, AreNeverFurtherBehindThanTheQueueIsDeep) {
  const cudaStream_t busy = stream();
  work(busy, 3);
  const cudaEvent_t first = recorded(busy);
  work(busy, static_cast<int>(queue_depth) - 2);
  EXPECT_EQ(cudaEventQuery(first), cudaErrorNotReady);
  work(busy);
  EXPECT_EQ(cudaEventQuery(first), cudaSuccess);
}

TEST_F(Streams, WaitForTheEventsOfOthers) {
  const cudaStream_t slow = stream(), fast = stream();
  work(slow, 50);
  const cudaEvent_t before = recorded(slow);
  EXPECT_EQ(cudaStreamWaitEvent(fast, before, 0), cudaSuccess);
  work(fast);
  const cudaEvent_t done = recorded(fast);
  work(slow, 50);
  EXPECT_EQ(cudaEventSynchronize(done), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(before), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(slow), cudaErrorNotReady);
}

TEST_F(Streams, RunSideBySide) {
  const cudaStream_t slow = stream(), fast = stream();
  work(slow, 50);
  work(fast, 10);
  EXPECT_EQ(cudaStreamSynchronize(fast), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(slow), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(slow), cudaSuccess);
}

TEST_F(Streams, OrderBlockingOnesWithTheNullStream) {
  const cudaStream_t blocking = stream(cudaStreamDefault);
  work(blocking, 30);
  work(nullptr);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(blocking), cudaSuccess);
  const cudaStream_t other = stream(cudaStreamNonBlocking);
  work(other, 30);
  work(nullptr);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(other), cudaErrorNotReady);
}

TEST_F(Streams, AreWaitedForByReadsIntoPageableMemory) {
  const cudaStream_t busy = stream();
  void* device = nullptr;
  void* pinned = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 1024), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 1024, cudaHostAllocDefault), cudaSuccess);
  work(busy, 100);
  EXPECT_EQ(cudaMemcpyAsync(pinned, device, 1024, cudaMemcpyDeviceToHost, busy), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(busy), cudaErrorNotReady);
  char pageable[1024];
  EXPECT_EQ(cudaMemcpyAsync(pageable, device, 1024, cudaMemcpyDeviceToHost, busy), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(busy), cudaSuccess);
  work(busy, 100);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(busy), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Streams, MeasureTicksThatAreNeverZero) {
  const cudaStream_t busy = stream();
  const cudaEvent_t start = recorded(busy);
  const cudaEvent_t same = recorded(busy);
  work(busy, 2000);
  const cudaEvent_t end = recorded(busy);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamSynchronize(busy), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 2);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, same), cudaSuccess);
  EXPECT_FLOAT_EQ(milliseconds, 0.001f);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, event()), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, recorded(busy, cudaEventDisableTiming)),
            cudaErrorInvalidResourceHandle);
}

TEST_F(Streams, RefuseHandlesOfNoStreamOrEvent) {
  const cudaStream_t gone = stream();
  EXPECT_EQ(cudaStreamDestroy(gone), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(gone), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  const cudaEvent_t event_gone = event();
  EXPECT_EQ(cudaEventDestroy(event_gone), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_gone), cudaErrorInvalidResourceHandle);
}

/// Statements run by EXPECT_EXIT start in a fresh process, which reads the environment anew.
class StreamsDeathTest : public Streams {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Questions until an event after 100 pieces of work is done, asked with work in between.
  [[noreturn]] static void count_questions(const char* timing) {
    setenv("SIMGPU_EVENTS", timing, 1);
    const cudaStream_t busy = stream(), other = stream();
    work(busy, 100);
    const cudaEvent_t done = recorded(busy);
    int questions = 1;
    for (; questions < 200 && cudaEventQuery(done) == cudaErrorNotReady; ++questions) work(other);
    std::exit(questions);
  }
};

TEST_F(StreamsDeathTest, AreDoneAtOnceOrOnlyOnceWaitedForAsTold) {
  EXPECT_EXIT(count_questions("at-once"), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(count_questions("queued"), testing::ExitedWithCode(100), "");
  EXPECT_EXIT(count_questions("after-sync"), testing::ExitedWithCode(200), "");
  EXPECT_EXIT(count_questions("late"), testing::ExitedWithCode(2),
              "SIMGPU_EVENTS is 'late' but must be at-once, queued or after-sync");
}

}  // namespace
}  // namespace simgpu
