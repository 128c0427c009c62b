#include <cstddef>

#include "simgpu/cudnn/real_library.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/export.hpp"
#include "torch_build.hpp"

/// Torch asks for versions at start-up and in programs that never convolve. Without a real library
/// the answers are those of the cuDNN that Torch's wheels for this CUDA ask for by their metadata.

namespace {

/// 10000 * major + 100 * minor + patch: cuDNN 9.1.0, 9.19.0 and 9.26.0.
constexpr std::size_t torch_cudnn_version = simgpu::torch_cuda_version >= 13020   ? 92600
                                            : simgpu::torch_cuda_version >= 13000 ? 91900
                                                                                  : 90100;

std::size_t answer(const char* name, std::size_t without_library) {
  if (simgpu::config().cudnn_folder.empty()) return without_library;
  return simgpu::cudnn::real<std::size_t()>(name)();
}

}  // namespace

SIMGPU_EXPORT std::size_t cudnnGetVersion() { return answer(__func__, torch_cudnn_version); }

SIMGPU_EXPORT std::size_t cudnnGetCudartVersion() {
  return answer(__func__, simgpu::torch_cuda_version);
}
