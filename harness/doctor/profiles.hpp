#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/core/device_probe.hpp"

namespace highwater {

/// A simulated device, or the sentence that says why its profile cannot be read.
struct SimulatedDevice {
  std::string device;  ///< "sim:h200"
  std::variant<DeviceSummary, std::string> summary;
};

/// One for each profile of the folder, sorted by name. Reads only what a table shows: the simulated
/// GPU judges profiles.
std::vector<SimulatedDevice> simulated_devices(const std::filesystem::path& profiles);

/// Writes `probe.profile` to `file`, indented, and the device properties for cuDNN beside it: for
/// card.json into card.cudnn.json. Returns the files written.
/// @throws UsageError where one exists and `overwrite` is false; then neither is written.
std::vector<std::filesystem::path> write_profile(const DeviceProbe& probe,
                                                 const std::filesystem::path& file, bool overwrite);

}  // namespace highwater
