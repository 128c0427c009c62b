#include <cstddef>

#include "simgpu/cudnn/types.hpp"
#include "simgpu/device/stop.hpp"

/// Sizes that cuDNN's batch normalisation asks for.

using namespace simgpu::cudnn;

namespace {

/// cudnnBatchNormMode_t: the mode that keeps a whole channel on the chip. Torch asks for it where
/// channels come last; with channels first it runs the plain kernels, which need nothing.
constexpr int spatial_persistent = 2;

int answer(const char* call, int mode, std::size_t* bytes) {
  if (mode == spatial_persistent)
    simgpu::stop_unanswered(call, "cuDNN",
                            "its sizes are not known where channels come last; keep this layer's "
                            "input contiguous.");
  *bytes = 0;
  return success;
}

}  // namespace

SIMGPU_EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    Handle*, int mode, int, TensorDescriptor, TensorDescriptor, TensorDescriptor, TensorDescriptor,
    void*, std::size_t* bytes) {
  return answer(__func__, mode, bytes);
}

SIMGPU_EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    Handle*, int mode, int, TensorDescriptor, TensorDescriptor, TensorDescriptor, TensorDescriptor,
    TensorDescriptor, TensorDescriptor, void*, std::size_t* bytes) {
  return answer(__func__, mode, bytes);
}

SIMGPU_EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(Handle*, int mode, int,
                                                                       void*, TensorDescriptor,
                                                                       std::size_t* bytes) {
  return answer(__func__, mode, bytes);
}
