#include <cstddef>

#include "simgpu/cudnn/real_library.hpp"
#include "simgpu/cudnn/version.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/export.hpp"

/// Torch asks for versions at start-up and in programs that never convolve. Without a real library
/// the answers are those of the cuDNN that Torch's wheels for this CUDA ask for by their metadata.

namespace {

std::size_t answer(const char* name, std::size_t without_library) {
  if (simgpu::config().cudnn_folder.empty()) return without_library;
  return simgpu::cudnn::real<std::size_t()>(name)();
}

}  // namespace

SIMGPU_EXPORT std::size_t cudnnGetVersion() {
  return answer(__func__, simgpu::cudnn::torch_version);
}

SIMGPU_EXPORT std::size_t cudnnGetCudartVersion() {
  return answer(__func__, simgpu::torch_cuda_version);
}
