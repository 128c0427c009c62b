#include "simgpu/device/embedded_image.hpp"

#include <algorithm>
#include <string>

#include "simgpu/device/stop.hpp"
#include "torch_build.hpp"

namespace simgpu {
namespace {

std::string capability(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

std::string capabilities_of_torch() {
  std::string text;
  for (const int image : torch_architectures)
    text += (text.empty() ? "" : ", ") + capability(image);
  return text;
}

}  // namespace

std::optional<int> embedded_image_for(int device_architecture,
                                      std::span<const int> library_architectures) {
  std::optional<int> best;
  for (const int architecture : library_architectures)
    if (architecture / 10 == device_architecture / 10 && architecture <= device_architecture)
      best = std::max(best.value_or(architecture), architecture);
  return best;
}

std::optional<int> embedded_image_for(int device_architecture) {
  return embedded_image_for(device_architecture, torch_architectures);
}

void require_image_for(const Profile& profile) {
  if (embedded_image_for(architecture(profile))) return;
  throw ConfigError("this Torch holds kernels for the compute capabilities " +
                    capabilities_of_torch() + " and none that a card of " +
                    capability(architecture(profile)) + " (" + profile.name +
                    ") could run; choose another device or another Torch.");
}

}  // namespace simgpu
