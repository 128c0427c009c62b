#include "fidelity/libtorch/cuda_events.hpp"

#include <cuda_runtime_api.h>

#include <unordered_map>

namespace highwater::oracle {
namespace {

std::unordered_map<cudaEvent_t, Mark>& marks() {
  static auto& instance = *new std::unordered_map<cudaEvent_t, Mark>;
  return instance;
}

}  // namespace

StreamClocks& cuda_clocks() {
  static StreamClocks& instance = *new StreamClocks;
  return instance;
}

}  // namespace highwater::oracle

using namespace highwater::oracle;

extern "C" cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  marks()[event] = cuda_clocks().record(reinterpret_cast<Stream>(stream));
  return cudaSuccess;
}

extern "C" cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cuda_clocks().is_done(marks()[event]) ? cudaSuccess : cudaErrorNotReady;
}

extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  cuda_clocks().wait(marks()[event]);
  return cudaSuccess;
}
