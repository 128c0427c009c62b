#include <cuda.h>

#include "simgpu/device/export.hpp"

/// NVIDIA's libraries share undocumented tables through this call. None is served, so a runtime
/// linked into one of them (cuDNN has one) finds no device and goes on without.
SIMGPU_EXPORT CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
