#pragma once

#include <driver_types.h>

#include <cstdint>
#include <span>

#include "simgpu/device/export.hpp"
#include "simgpu/device/graph.hpp"
#include "simgpu/device/stream.hpp"

namespace simgpu {

/// Capture of streams into graphs, with the rules of the CUDA C++ Programming Guide ("Creating a
/// Graph Using Stream Capture"): what is illegal returns the documented error and spoils the
/// capture, whose end then returns cudaErrorStreamCaptureInvalidated. All functions are
/// thread-safe.

SIMGPU_SHARED cudaError_t begin_capture(StreamHandle stream, cudaStreamCaptureMode mode);

/// `*graph` is the caller's; null on error.
SIMGPU_SHARED cudaError_t end_capture(StreamHandle stream, Graph** graph);

struct CaptureInfo {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  std::uint64_t id = 0;
  Graph* graph = nullptr;
  std::span<GraphNode* const> dependencies;  ///< until the stream is used next
};
SIMGPU_SHARED cudaError_t capture_info(StreamHandle stream, CaptureInfo* info);

/// Sets the calling thread's mode and returns the one before (cudaThreadExchangeStreamCaptureMode).
SIMGPU_SHARED cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode);

/// To be asked by every call that the runtime calls potentially unsafe (cudaMalloc,
/// cudaEventQuery, ...): cudaErrorStreamCaptureUnsupported where a capture forbids it to this
/// thread. Costs nothing while nothing is captured.
SIMGPU_SHARED cudaError_t check_unsafe_call();

/// Runs the graph's work in `stream`.
SIMGPU_SHARED cudaError_t launch_graph(const ExecutableGraph& graph, StreamHandle stream);

// For stream.cpp and event.cpp, which hold the lock of the books where a Stream is passed.

struct Stream;
struct Event;

/// An error, and a spoilt capture, if the stream is being captured.
cudaError_t refuse_captured(Stream& stream);

/// The same for all streams of a device. Takes the lock.
cudaError_t refuse_captures_on(int device);

/// `stream` waits for an event that was recorded in a capture: it becomes part of that capture.
cudaError_t join_capture(Stream& stream, const Event& event);

}  // namespace simgpu
