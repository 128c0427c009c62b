#pragma once

#include <array>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// A recognisable identity, the same wherever a device is asked for one: "simgpu", then the
/// ordinal.
SIMGPU_SHARED std::array<char, 16> device_uuid(int ordinal);

}  // namespace simgpu
