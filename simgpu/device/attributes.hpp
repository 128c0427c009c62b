#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "simgpu/device/export.hpp"
#include "simgpu/device/profile.hpp"

namespace simgpu {

/// An attribute number and the profile field that answers it. cudaDeviceAttr and CUdevice_attribute
/// share their numbers (cuda.h and driver_types.h of the toolkit).
struct FieldAttribute {
  int number;
  std::int64_t Profile::*field;
};

/// An attribute with the same answer on every device this simulation covers (capability 7.0 to 12.x
/// on x86-64 Linux).
struct FixedAttribute {
  int number;
  int value;
};

SIMGPU_SHARED std::span<const FieldAttribute> field_attributes();
SIMGPU_SHARED std::span<const FixedAttribute> fixed_attributes();

/// The value of attribute `number` on device `ordinal`, or nothing for a number that neither table
/// knows: the caller must stop, never invent an answer.
SIMGPU_SHARED std::optional<int> device_attribute(int number, int ordinal);

/// PCI bus number shown for a device; its address is 0000:<bus>:00.0.
constexpr int pci_bus(int ordinal) { return ordinal + 1; }

}  // namespace simgpu
