#include "simgpu/device/stream.hpp"

#include <cuda_runtime_api.h>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"

using namespace simgpu;
using simgpu::cudart::report;

namespace {

cudaError_t create(cudaStream_t* handle, unsigned flags, int priority) {
  if (config().device_count == 0) return report(cudaErrorNoDevice);
  mark_device_used(current_device());
  *handle = static_cast<cudaStream_t>(const_cast<void*>(create_stream(flags, priority)));
  return cudaSuccess;
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create(stream, cudaStreamDefault, 0);
}

SIMGPU_EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create(stream, flags, 0);
}

SIMGPU_EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                       int priority) {
  return create(stream, flags, priority);
}

SIMGPU_EXPORT cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return report(destroy_stream(stream));
}

SIMGPU_EXPORT cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const auto facts = find_stream(stream);
  if (!facts) return report(cudaErrorInvalidResourceHandle);
  *priority = facts->priority;
  return cudaSuccess;
}

SIMGPU_EXPORT cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return report(query_stream(stream));
}

SIMGPU_EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return report(wait_for_stream(stream));
}

SIMGPU_EXPORT cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                              unsigned flags) {
  return report(order_after_event(stream, event, flags));
}

SIMGPU_EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                                void* data, unsigned) {
  return report(
      enqueue(stream, WorkKind::host_function, [=] { callback(stream, cudaSuccess, data); }));
}

SIMGPU_EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                             void* data) {
  return report(enqueue(stream, WorkKind::host_function, [=] { function(data); }));
}
