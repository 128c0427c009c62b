#include "simgpu/cudnn/types.hpp"
#include "simgpu/device/kernels.hpp"

int simgpu::cudnn::launch(const Handle* handle) {
  return call_library(handle->stream) == cudaSuccess ? success : execution_failed;
}

/// Routines that take all their memory as arguments.

SIMGPU_EXPORT_LAUNCH(cudnnBatchNormalizationForwardInference)
SIMGPU_EXPORT_LAUNCH(cudnnBatchNormalizationForwardTrainingEx)
SIMGPU_EXPORT_LAUNCH(cudnnBatchNormalizationBackwardEx)
SIMGPU_EXPORT_LAUNCH(cudnnPoolingForward)
SIMGPU_EXPORT_LAUNCH(cudnnSpatialTfGridGeneratorForward)
SIMGPU_EXPORT_LAUNCH(cudnnSpatialTfGridGeneratorBackward)
SIMGPU_EXPORT_LAUNCH(cudnnSpatialTfSamplerForward)
SIMGPU_EXPORT_LAUNCH(cudnnSpatialTfSamplerBackward)
