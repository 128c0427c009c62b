#include "harness/matrix/device.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#include "harness/core/cudnn_folder.hpp"
#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/matrix/cell.hpp"

namespace highwater {
namespace {

constexpr std::string_view kAccelerator = "accelerator";
constexpr std::string_view kDefaultSimulated = "sim:h200";

constexpr std::array kOfSim = {ConditionalAbility{
    "convolution", [] { return !cudnn_folder().empty(); },
    "convolutions on the simulated GPU need NVIDIA's cuDNN, which plans them: run "
    "scripts/install_cudnn.sh, or set HIGHWATER_CUDNN_DIR to the folder with libcudnn.so.9"}};

constexpr std::array kKinds = {
    DeviceKind{"cuda", "a real NVIDIA GPU", "full", false, {}},
    DeviceKind{"sim", "a simulated GPU: bytes, no time, no numerics", "full", true, kOfSim},
    DeviceKind{"cpu",
               "CPU kernels under a counting allocator: bytes, time and numerics",
               "twin",
               false,
               {}}};

}  // namespace

std::span<const DeviceKind> device_kinds() { return kKinds; }

const DeviceKind& kind_of_device(std::string_view device) {
  const std::string kind = device_kind(device);
  const auto* row = std::ranges::find(kKinds, kind, &DeviceKind::kind);
  if (row == kKinds.end()) {
    throw UsageError(unknown_name("device", device, {"cuda", "cpu", "sim:<profile>"}));
  }
  return *row;
}

std::vector<std::string> device_names(const std::filesystem::path& profiles) {
  std::vector<std::string> simulated;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(profiles, error)) {
    if (entry.path().extension() == ".json")
      simulated.push_back("sim:" + entry.path().stem().string());
  }
  std::ranges::sort(simulated);
  simulated.insert(simulated.begin(), {"cuda", "cpu"});
  return simulated;
}

std::vector<std::string> resolve_devices(const std::vector<std::string>& wanted,
                                         const std::vector<std::string>& known,
                                         bool driver_present) {
  std::vector<std::string> devices;
  for (std::string name : wanted) {
    if (name == kAccelerator) name = driver_present ? "cuda" : kDefaultSimulated;
    if (std::ranges::find(known, name) == known.end()) {
      auto valid = known;
      valid.emplace_back(kAccelerator);
      throw UsageError(unknown_name("device", name, valid));
    }
    if (std::ranges::find(devices, name) == devices.end()) devices.push_back(name);
  }
  return devices;
}

bool nvidia_driver_present() { return std::ifstream("/proc/driver/nvidia/version").good(); }

}  // namespace highwater
