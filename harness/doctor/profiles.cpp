#include "harness/doctor/profiles.hpp"

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/matrix/device.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

DeviceSummary summary_of(const nlohmann::json& profile) {
  return {.name = profile.at("name"),
          .compute_capability = std::to_string(profile.at("compute_capability_major").get<int>()) +
                                "." +
                                std::to_string(profile.at("compute_capability_minor").get<int>()),
          .total_memory_bytes = profile.at("total_memory_bytes"),
          .multiprocessor_count = profile.at("multiprocessor_count")};
}

SimulatedDevice read_device(const std::string& device, const fs::path& file) {
  try {
    return {device, summary_of(nlohmann::json::parse(read_file(file)))};
  } catch (const std::exception& error) {
    return {device, file.string() + " cannot be read as a profile: " + error.what()};
  }
}

}  // namespace

std::vector<SimulatedDevice> simulated_devices(const fs::path& profiles) {
  std::vector<SimulatedDevice> devices;
  for (const std::string& device : device_names(profiles)) {
    if (device_kind(device) == "sim")
      devices.push_back(read_device(device, profiles / (device.substr(4) + ".json")));
  }
  return devices;
}

std::vector<fs::path> write_profile(const DeviceProbe& probe, const fs::path& file,
                                    bool overwrite) {
  const fs::path cudnn = fs::path(file).replace_extension(".cudnn.json");
  for (const fs::path& target : {file, cudnn}) {
    if (!overwrite && fs::exists(target))
      throw UsageError(target.string() +
                       " exists; name another file, or add --force to replace it");
  }
  write_file_atomically(file, probe.profile.dump(2) + "\n");
  write_file_atomically(cudnn, probe.cudnn_device.dump(2) + "\n");
  return {file, cudnn};
}

}  // namespace highwater
