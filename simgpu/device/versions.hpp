#pragma once

#include <cuda.h>

namespace simgpu {

/// What cudaDriverGetVersion and cuDriverGetVersion answer: a driver exactly as new as the toolkit
/// this was compiled for (1000 * major + 10 * minor).
constexpr int driver_version = CUDA_VERSION;

}  // namespace simgpu
