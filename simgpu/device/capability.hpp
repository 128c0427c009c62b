#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "simgpu/device/export.hpp"
#include "simgpu/device/profile.hpp"

namespace simgpu {

/// The fields of a profile that follow from the compute capability alone. A profile may leave them
/// out; what it gives wins, so that a profile of a newer capability can stand alone.
SIMGPU_SHARED std::span<std::int64_t Profile::*const> capability_fields();

/// The value of one of these fields on every card of a capability (10 * major + minor), or nothing
/// for a capability that the table lacks or a field that it does not tell.
SIMGPU_SHARED std::optional<std::int64_t> capability_value(std::int64_t capability,
                                                           std::int64_t Profile::*field);

}  // namespace simgpu
