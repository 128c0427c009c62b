#pragma once

#include <optional>

#include "harness/core/bytes.hpp"

namespace highwater {

/// Calls of the CUDA runtime that LibTorch wraps nowhere. They are looked up in the process, which
/// has NVIDIA's runtime or the simulated one. A call that fails, where no answer is expected to be
/// missing, throws InternalError naming it.

struct CudaMemory {
  Bytes free = 0;
  Bytes total = 0;
};

/// Of the current device. Makes its context where there is none yet.
CudaMemory cuda_memory();
/// Attribute `number` (cudaDeviceAttr, or CUdevice_attribute, which share their numbers); nothing
/// where the runtime does not know it.
std::optional<int> cuda_attribute(int number, int device);
bool cuda_can_access_peer(int device, int peer);
/// The newest CUDA that the driver supports, e.g. 13000.
int cuda_driver_version();

}  // namespace highwater
