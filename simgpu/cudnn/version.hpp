#pragma once

#include <cstddef>

#include "torch_build.hpp"

namespace simgpu::cudnn {

/// The cuDNN that Torch's wheels for this CUDA ask for by their metadata: 9.1.0, 9.19.0 and 9.26.0
/// (10000 * major + 100 * minor + patch).
constexpr std::size_t torch_version = torch_cuda_version >= 13020   ? 92600
                                      : torch_cuda_version >= 13000 ? 91900
                                                                    : 90100;

}  // namespace simgpu::cudnn
