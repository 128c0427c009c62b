#include <cuda_runtime_api.h>

#include <cstdint>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"

/// Work is done when it is submitted, so streams and events hold no state but what a program can
/// ask back. Every event is complete, and no time passes between two of them.

using simgpu::cudart::report;

namespace {

struct Stream {
  unsigned flags;
  int priority;
};

struct Event {
  unsigned flags;
};

Stream* stream_of(cudaStream_t handle) { return reinterpret_cast<Stream*>(handle); }

/// Null, cudaStreamLegacy and cudaStreamPerThread are numbers, not objects.
bool is_default_stream(cudaStream_t handle) {
  return reinterpret_cast<std::uintptr_t>(handle) <=
         reinterpret_cast<std::uintptr_t>(cudaStreamPerThread);
}

cudaError_t create_stream(cudaStream_t* handle, unsigned flags, int priority) {
  if (simgpu::config().device_count == 0) return report(cudaErrorNoDevice);
  simgpu::mark_device_used(simgpu::current_device());
  *handle = reinterpret_cast<cudaStream_t>(new Stream{flags, priority});
  return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t* handle, unsigned flags) {
  if (simgpu::config().device_count == 0) return report(cudaErrorNoDevice);
  *handle = reinterpret_cast<cudaEvent_t>(new Event{flags});
  return cudaSuccess;
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create_stream(stream, cudaStreamDefault, 0);
}

SIMGPU_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(stream, flags, 0);
}

SIMGPU_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                       int priority) {
  return create_stream(stream, flags, priority);
}

SIMGPU_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (is_default_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  delete stream_of(stream);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = is_default_stream(stream) ? 0 : stream_of(stream)->priority;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }

SIMGPU_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

SIMGPU_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                                void* data, unsigned) {
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
  function(data);
  return cudaSuccess;
}

/// No capture can have begun: cudaStreamBeginCapture is not simulated and stops the program.
SIMGPU_EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

/// CUDA 12's headers make this cudaStreamGetCaptureInfo_v2, which knows no edge data.
SIMGPU_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** dependencies,
#if CUDART_VERSION >= 13000
                                                   const cudaGraphEdgeData** edges,
#endif
                                                   std::size_t* count) {
  *status = cudaStreamCaptureStatusNone;
  if (id) *id = 0;
  if (graph) *graph = nullptr;
  if (dependencies) *dependencies = nullptr;
#if CUDART_VERSION >= 13000
  if (edges) *edges = nullptr;
#endif
  if (count) *count = 0;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  const cudaStreamCaptureMode before = current;
  current = *mode;
  *mode = before;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return create_event(event, cudaEventDefault);
}

SIMGPU_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create_event(event, flags);
}

SIMGPU_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return report(cudaErrorInvalidResourceHandle);
  delete reinterpret_cast<Event*>(event);
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }

SIMGPU_EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) {
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }

SIMGPU_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

SIMGPU_EXPORT cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0;
  return cudaSuccess;
}
