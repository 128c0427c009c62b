#include "simgpu/device/capture.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "simgpu/device/stream.hpp"
#include "tests/support/own_path.hpp"

namespace simgpu {
namespace {

class CaptureTest : public testing::Test {
 protected:
  static cudaStream_t stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t handle = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&handle, flags), cudaSuccess);
    return handle;
  }
  static cudaEvent_t event() {
    cudaEvent_t handle = nullptr;
    EXPECT_EQ(cudaEventCreate(&handle), cudaSuccess);
    return handle;
  }
  static cudaStream_t capturing(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    const cudaStream_t handle = stream();
    EXPECT_EQ(cudaStreamBeginCapture(handle, mode), cudaSuccess);
    return handle;
  }
  void work(cudaStream_t stream) {
    EXPECT_EQ(enqueue(stream, WorkKind::kernel, [this] { ++done_; }), cudaSuccess);
  }
  static cudaGraph_t end(cudaStream_t stream, cudaError_t expected = cudaSuccess) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), expected);
    EXPECT_EQ(graph != nullptr, expected == cudaSuccess);
    return graph;
  }
  static std::size_t node_count(cudaGraph_t graph) {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
    return count;
  }
  static cudaStreamCaptureStatus status(cudaStream_t stream) {
    cudaStreamCaptureStatus seen = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &seen), cudaSuccess);
    return seen;
  }

  int done_ = 0;
};

TEST_F(CaptureTest, DoesWorkWithEveryReplayAndNotBefore) {
  const cudaStream_t captured = capturing();
  EXPECT_EQ(status(captured), cudaStreamCaptureStatusActive);
  work(captured);
  work(captured);
  const cudaGraph_t graph = end(captured);
  EXPECT_EQ(status(captured), cudaStreamCaptureStatusNone);
  EXPECT_EQ(node_count(graph), 2u);
  EXPECT_EQ(done_, 0);

  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  const cudaStream_t other = stream();
  EXPECT_EQ(cudaGraphLaunch(executable, other), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, other), cudaSuccess);
  EXPECT_EQ(done_, 4);
  EXPECT_EQ(cudaStreamQuery(other), cudaErrorNotReady);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
}

TEST_F(CaptureTest, ReplaysReads) {
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 16), cudaSuccess);
  int seen = 7;
  const cudaStream_t captured = capturing();
  EXPECT_EQ(cudaMemcpyAsync(&seen, device, 4, cudaMemcpyDeviceToHost, captured), cudaSuccess);
  const cudaGraph_t graph = end(captured);
  EXPECT_EQ(seen, 7);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, nullptr), cudaSuccess);
  EXPECT_EQ(seen, 0);
}

TEST_F(CaptureTest, TakesInStreamsThatWaitForIt) {
  const cudaStream_t captured = capturing(cudaStreamCaptureModeRelaxed), side = stream();
  work(captured);
  const cudaEvent_t fork = event(), join = event();
  EXPECT_EQ(cudaEventRecord(fork, captured), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  EXPECT_EQ(status(side), cudaStreamCaptureStatusActive);
  work(side);
  EXPECT_EQ(cudaEventRecord(join, side), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(join), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaStreamWaitEvent(captured, join, 0), cudaSuccess);
  const cudaGraph_t graph = end(captured);
  EXPECT_EQ(node_count(graph), 2u);
  EXPECT_EQ(status(side), cudaStreamCaptureStatusNone);
}

TEST_F(CaptureTest, RefusesAStreamThatDidNotComeBack) {
  const cudaStream_t captured = capturing(), side = stream();
  const cudaEvent_t fork = event();
  EXPECT_EQ(cudaEventRecord(fork, captured), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  work(side);
  end(captured, cudaErrorStreamCaptureUnjoined);
}

TEST_F(CaptureTest, IsSpoiltByWhatIsIllegal) {
  void* pointer = nullptr;
  const cudaStream_t allocating = capturing();
  EXPECT_EQ(cudaMalloc(&pointer, 1024), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(status(allocating), cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(enqueue(allocating, WorkKind::kernel, [] {}), cudaErrorStreamCaptureInvalidated);
  end(allocating, cudaErrorStreamCaptureInvalidated);

  const cudaStream_t waiting = capturing(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaStreamSynchronize(waiting), cudaErrorStreamCaptureUnsupported);
  end(waiting, cudaErrorStreamCaptureInvalidated);

  const cudaStream_t synchronizing = capturing(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  end(synchronizing, cudaErrorStreamCaptureInvalidated);

  const cudaEvent_t outside = event();
  EXPECT_EQ(cudaEventRecord(outside, stream()), cudaSuccess);
  const cudaStream_t isolated = capturing();
  EXPECT_EQ(cudaStreamWaitEvent(isolated, outside, 0), cudaErrorStreamCaptureIsolation);
  end(isolated, cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, LetsRelaxedThreadsDoWhatIsUnsafe) {
  void* pointer = nullptr;
  const cudaStream_t captured = capturing();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&pointer, 1024), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  work(captured);
  end(captured);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
}

TEST_F(CaptureTest, ForbidsUnsafeCallsToOtherThreadsOnlyInGlobalMode) {
  const auto ask_elsewhere = [] {
    cudaError_t answer = cudaSuccess;
    std::thread([&] {
      void* pointer = nullptr;
      answer = cudaMalloc(&pointer, 1024);
    }).join();
    return answer;
  };
  const cudaStream_t global = capturing(cudaStreamCaptureModeGlobal);
  EXPECT_EQ(ask_elsewhere(), cudaErrorStreamCaptureUnsupported);
  end(global, cudaErrorStreamCaptureInvalidated);
  const cudaStream_t local = capturing(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(ask_elsewhere(), cudaSuccess);
  end(local);
}

TEST_F(CaptureTest, MustEndWhereItBegan) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream(), &graph), cudaErrorIllegalState);
  const cudaStream_t captured = capturing(), side = stream();
  EXPECT_EQ(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  const cudaEvent_t fork = event();
  EXPECT_EQ(cudaEventRecord(fork, captured), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(side, fork, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(side, &graph), cudaErrorStreamCaptureUnmatched);
  std::thread([&] {
    EXPECT_EQ(cudaStreamEndCapture(captured, &graph), cudaErrorStreamCaptureWrongThread);
  }).join();
  end(captured);
}

TEST_F(CaptureTest, KeepsTheNullStreamOutOfBlockingStreams) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
            cudaErrorStreamCaptureUnsupported);
  const cudaStream_t blocking = stream(cudaStreamDefault);
  EXPECT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal), cudaSuccess);
  cudaStreamCaptureStatus seen;
  EXPECT_EQ(cudaStreamIsCapturing(nullptr, &seen), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(status(blocking), cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaErrorStreamCaptureImplicit);
  end(blocking, cudaErrorStreamCaptureInvalidated);
}

TEST_F(CaptureTest, PrintsItsGraph) {
  const cudaStream_t captured = capturing();
  work(captured);
  work(captured);
  const cudaGraph_t graph = end(captured);
  const std::string path = ::testing_support::own_path("graph.dot");
  EXPECT_EQ(cudaGraphDebugDotPrint(graph, path.c_str(), 0), cudaSuccess);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("[label=\"kernel\"]"), std::string::npos);
  EXPECT_NE(text.find(" -> "), std::string::npos);
}

}  // namespace
}  // namespace simgpu
