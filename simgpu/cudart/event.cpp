#include <cuda_runtime_api.h>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/notes.hpp"
#include "simgpu/device/stream.hpp"

using namespace simgpu;
using simgpu::cudart::report;

namespace {

cudaError_t create(cudaEvent_t* handle, unsigned flags) {
  if (config().device_count == 0) return report(cudaErrorNoDevice);
  *handle = static_cast<cudaEvent_t>(const_cast<void*>(create_event(flags)));
  return cudaSuccess;
}

}  // namespace

SIMGPU_EXPORT cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return create(event, cudaEventDefault);
}

SIMGPU_EXPORT cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create(event, flags);
}

SIMGPU_EXPORT cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return report(destroy_event(event));
}

SIMGPU_EXPORT cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return report(record_event(event, stream, cudaEventRecordDefault));
}

SIMGPU_EXPORT cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                                   unsigned flags) {
  return report(record_event(event, stream, flags));
}

SIMGPU_EXPORT cudaError_t cudaEventQuery(cudaEvent_t event) { return report(query_event(event)); }

SIMGPU_EXPORT cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return report(wait_for_event(event));
}

SIMGPU_EXPORT cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start,
                                               cudaEvent_t end) {
  note(NoteKind::unlike_device,
       "cudaEventElapsedTime: no time is simulated; what is chosen by timing is not reproducible");
  return report(elapsed_milliseconds(milliseconds, start, end));
}
