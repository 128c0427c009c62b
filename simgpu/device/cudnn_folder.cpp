#include "simgpu/device/cudnn_folder.hpp"

#include <filesystem>

#include "simgpu/device/config.hpp"
#include "simgpu/device/stop.hpp"
#include "simgpu/device/versions.hpp"

namespace simgpu {

std::string nvrtc_beside_cudnn() {
  if (config().cudnn_folder.empty()) return {};
  const std::filesystem::path folder = config().cudnn_folder;
  const std::string major = std::to_string(runtime_version / 1000);
  const std::string file = "libnvrtc.so." + major;
  const std::filesystem::path wheels = folder / ".." / "..";
  for (const auto& candidate : {folder / file, wheels / ("cu" + major) / "lib" / file,
                                wheels / "cuda_nvrtc" / "lib" / file})
    if (std::filesystem::exists(candidate)) return candidate.string();
  stop_misconfigured("cuDNN compiles some of its plans, but beside SIMGPU_CUDNN_DIR=" +
                     folder.string() + " there is no " + file +
                     "; install NVIDIA's NVRTC there (scripts/install_cudnn.sh brings both).");
}

}  // namespace simgpu
