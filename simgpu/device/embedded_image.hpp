#pragma once

#include <optional>
#include <span>

#include "simgpu/device/export.hpp"
#include "simgpu/device/profile.hpp"

namespace simgpu {

/// Which of a library's embedded kernel images a device runs: the newest architecture of the same
/// major version that is not above the device (binary compatibility, CUDA C++ Programming Guide).
/// Numbers are 10 * major + minor: a device of 89 with images for 80, 86 and 90 runs 86. Nothing if
/// no image fits.
///
/// CUB chooses its launch parameters, and so its scratch bytes, by this number. Answering the
/// device's own number makes its dispatch fail on an 8.9 card.
SIMGPU_SHARED std::optional<int> embedded_image_for(int device_architecture,
                                                    std::span<const int> library_architectures);

/// The same over the architectures of the Torch this was built for, read from its libraries.
SIMGPU_SHARED std::optional<int> embedded_image_for(int device_architecture);

/// Throws ConfigError where that Torch has no image for the card: a real one could start no kernel.
SIMGPU_SHARED void require_image_for(const Profile& profile);

}  // namespace simgpu
