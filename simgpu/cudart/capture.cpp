#include "simgpu/device/capture.hpp"

#include <cuda_runtime_api.h>

#include "simgpu/cudart/error.hpp"

using namespace simgpu;
using simgpu::cudart::report;

SIMGPU_EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return report(begin_capture(stream, mode));
}

SIMGPU_EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Graph* captured = nullptr;
  const cudaError_t error = end_capture(stream, &captured);
  *graph = reinterpret_cast<cudaGraph_t>(captured);
  return report(error);
}

SIMGPU_EXPORT cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                                cudaStreamCaptureStatus* status) {
  CaptureInfo info;
  const cudaError_t error = capture_info(stream, &info);
  *status = info.status;
  return report(error);
}

/// CUDA 12's headers make this cudaStreamGetCaptureInfo_v2, which knows no edge data. No edge here
/// has any.
SIMGPU_EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** dependencies,
#if CUDART_VERSION >= 13000
                                                   const cudaGraphEdgeData** edges,
#endif
                                                   std::size_t* count) {
  CaptureInfo info;
  const cudaError_t error = capture_info(stream, &info);
  *status = info.status;
  if (id) *id = info.id;
  if (graph) *graph = reinterpret_cast<cudaGraph_t>(info.graph);
  if (dependencies)
    *dependencies = reinterpret_cast<const cudaGraphNode_t*>(info.dependencies.data());
#if CUDART_VERSION >= 13000
  if (edges) *edges = nullptr;
#endif
  if (count) *count = info.dependencies.size();
  return report(error);
}

SIMGPU_EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  *mode = exchange_capture_mode(*mode);
  return cudaSuccess;
}
