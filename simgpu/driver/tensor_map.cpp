#include <cuda.h>

#include "simgpu/device/profile.hpp"

/// A tensor map is read by kernels only, so here it is 128 bytes of nothing. What a card would
/// refuse (alignments, box sizes) is not checked.
SIMGPU_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t,
                                              void*, const cuuint64_t*, const cuuint64_t*,
                                              const cuuint32_t*, const cuuint32_t*,
                                              CUtensorMapInterleave, CUtensorMapSwizzle,
                                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (simgpu::profile().tensor_map_access == 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (map == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *map = {};
  return CUDA_SUCCESS;
}
