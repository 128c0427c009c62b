#pragma once

#include <driver_types.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "simgpu/device/export.hpp"
#include "simgpu/device/graph.hpp"

namespace simgpu {

/// A cudaStream_t or CUstream: null and cudaStreamLegacy are the current device's null stream,
/// cudaStreamPerThread is the calling thread's own.
using StreamHandle = const void*;
using EventHandle = const void*;

/// Streams order work and events tell how far it is, by the clock of clock.hpp. Errors are those
/// the runtime documents; the driver's have the same numbers. All functions are thread-safe.

struct StreamFacts {
  std::uint64_t id = 0;
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
};

SIMGPU_SHARED StreamHandle create_stream(unsigned flags, int priority);
SIMGPU_SHARED cudaError_t destroy_stream(StreamHandle stream);
SIMGPU_SHARED std::optional<StreamFacts> find_stream(StreamHandle stream);

/// Puts a piece of work into a stream: `action`, which is done at once (the clock only says when
/// the host may know), or with every replay if the stream is being captured.
SIMGPU_SHARED cudaError_t enqueue(StreamHandle stream, WorkKind kind, std::function<void()> action);

/// The host waits for a stream, or for all streams of a device.
SIMGPU_SHARED cudaError_t wait_for_stream(StreamHandle stream);
SIMGPU_SHARED cudaError_t wait_for_device(int device);

/// cudaErrorNotReady while work in the stream is not done.
SIMGPU_SHARED cudaError_t query_stream(StreamHandle stream);

SIMGPU_SHARED EventHandle create_event(unsigned flags);
SIMGPU_SHARED cudaError_t destroy_event(EventHandle event);
/// `flags` as of cudaEventRecordWithFlags.
SIMGPU_SHARED cudaError_t record_event(EventHandle event, StreamHandle stream, unsigned flags);
SIMGPU_SHARED cudaError_t query_event(EventHandle event);
SIMGPU_SHARED cudaError_t wait_for_event(EventHandle event);

/// What is put into `stream` from now on comes after `event`. `flags` as of cudaStreamWaitEvent.
SIMGPU_SHARED cudaError_t order_after_event(StreamHandle stream, EventHandle event, unsigned flags);

/// The ticks between two events as microseconds: no estimate of time, but never 0.
SIMGPU_SHARED cudaError_t elapsed_milliseconds(float* milliseconds, EventHandle start,
                                               EventHandle end);

}  // namespace simgpu
