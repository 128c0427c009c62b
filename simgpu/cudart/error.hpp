#pragma once

#include <driver_types.h>

namespace simgpu::cudart {

/// Remembers `error` as the calling thread's last error and returns it. cudaGetLastError hands it
/// out once; cudaPeekAtLastError keeps it. cudaSuccess is passed through and leaves the last error
/// as it is. None of the errors given here is sticky.
cudaError_t report(cudaError_t error);

}  // namespace simgpu::cudart
