#include "simgpu/nvml/device.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "simgpu/device/attributes.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/identity.hpp"
#include "simgpu/device/profile.hpp"

using namespace simgpu;
using namespace simgpu::nvml;

namespace simgpu::nvml {

Result handle_of(int ordinal, Device* device) {
  if (!is_device(ordinal)) return not_found;
  *device = reinterpret_cast<Device>(static_cast<std::uintptr_t>(ordinal) + 1);
  return success;
}

int ordinal_of(Device device) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(device)) - 1;
}

Result copy_text(const char* text, char* target, unsigned length) {
  if (std::strlen(text) >= length) return insufficient_size;
  std::strcpy(target, text);
  return success;
}

}  // namespace simgpu::nvml

namespace {

/// "GPU-" and the bytes in groups, as the driver prints them.
std::string uuid_text(int ordinal) {
  constexpr std::size_t group_ends[] = {4, 6, 8, 10};
  std::string text = "GPU-";
  const auto bytes = device_uuid(ordinal);
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    for (const std::size_t end : group_ends)
      if (index == end) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(bytes[index]));
    text += digits;
  }
  return text;
}

}  // namespace

SIMGPU_EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(config().device_count);
  return success;
}

SIMGPU_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  return handle_of(static_cast<int>(index), device) == success ? success : invalid_argument;
}

/// "domain:bus:device.function", all hexadecimal.
SIMGPU_EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* text, Device* device) {
  unsigned domain = 0, bus = 0;
  if (std::sscanf(text, "%x:%x", &domain, &bus) != 2) return invalid_argument;
  for (int ordinal = 0; is_device(ordinal); ++ordinal)
    if (bus == static_cast<unsigned>(pci_bus(ordinal))) return handle_of(ordinal, device);
  return not_found;
}

SIMGPU_EXPORT int nvmlDeviceGetHandleByUUID(const char* text, Device* device) {
  for (int ordinal = 0; is_device(ordinal); ++ordinal)
    if (text == uuid_text(ordinal)) return handle_of(ordinal, device);
  return not_found;
}

SIMGPU_EXPORT int nvmlDeviceGetIndex(Device device, unsigned* index) {
  *index = static_cast<unsigned>(ordinal_of(device));
  return success;
}

SIMGPU_EXPORT int nvmlDeviceGetName(Device, char* text, unsigned length) {
  return copy_text(profile().name.c_str(), text, length);
}

SIMGPU_EXPORT int nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
  return copy_text(uuid_text(ordinal_of(device)).c_str(), text, length);
}

SIMGPU_EXPORT int nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  *info = {};
  info->bus = static_cast<unsigned>(pci_bus(ordinal_of(device)));
  std::snprintf(info->legacy_bus_id, sizeof info->legacy_bus_id, "0000:%02X:00.0", info->bus);
  std::snprintf(info->bus_id, sizeof info->bus_id, "00000000:%02X:00.0", info->bus);
  return success;
}

SIMGPU_EXPORT int nvmlDeviceGetCudaComputeCapability(Device, int* major, int* minor) {
  *major = static_cast<int>(profile().compute_capability_major);
  *minor = static_cast<int>(profile().compute_capability_minor);
  return success;
}
