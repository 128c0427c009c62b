#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace highwater {

/// Something a device can do only where a part is installed.
struct ConditionalAbility {
  std::string_view name;  ///< as in ModelEntry::needs
  bool (*is_there)();
  std::string_view reason;  ///< of the skipped row, where it is not: what to do
};

/// What differs between kinds of device, as data.
struct DeviceKind {
  std::string_view kind;  ///< "cuda", "sim" or "cpu"
  std::string_view meaning;
  std::string_view default_preset;  ///< size of the models that fits it
  bool takes_capacity;              ///< whether its memory can be set to another size
  std::span<const ConditionalAbility> conditional;
};

std::span<const DeviceKind> device_kinds();

/// The row of a device such as "sim:h200". @throws UsageError on an unknown kind.
const DeviceKind& kind_of_device(std::string_view device);

/// "cuda", "cpu" and "sim:<profile>" for each profile of the folder.
std::vector<std::string> device_names(const std::filesystem::path& profiles);

/// Turns what a suite or a flag says into devices: "accelerator" becomes "cuda" where an NVIDIA
/// driver is present, else "sim:h200". @throws UsageError with the nearest names.
std::vector<std::string> resolve_devices(const std::vector<std::string>& wanted,
                                         const std::vector<std::string>& known,
                                         bool driver_present);

/// Whether the kernel of this machine has an NVIDIA driver loaded.
bool nvidia_driver_present();

}  // namespace highwater
