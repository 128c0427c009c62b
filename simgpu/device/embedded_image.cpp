#include "simgpu/device/embedded_image.hpp"

#include <algorithm>

#include "torch_build.hpp"

namespace simgpu {

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

}  // namespace simgpu
