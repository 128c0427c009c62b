#pragma once

#include "torch_build.hpp"

namespace simgpu {

/// What the runtime and the driver answer for their versions: those of the CUDA that Torch was
/// compiled for (1000 * major + 10 * minor), whatever headers this was compiled with.
constexpr int runtime_version = torch_cuda_version;
constexpr int driver_version = torch_cuda_version;

}  // namespace simgpu
