#include "harness/exec/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string_view>

#include "harness/core/cudnn_folder.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/nearest.hpp"
#include "harness/matrix/device.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCudnn = "libcudnn.so.9";
constexpr std::string_view kCudartOfOurCudnn = "libcudart.so.13";

std::string absolute_text(const std::string& path) { return fs::absolute(path).string(); }

Bytes context_bytes(const fs::path& profile) {
  const auto content = nlohmann::json::parse(read_file(profile), nullptr, false);
  if (!content.is_object() || !content.contains("context_bytes") ||
      !content["context_bytes"].is_number_integer()) {
    throw UsageError(fmt::format(
        "{} is no device profile: it has no whole number \"context_bytes\"", profile.string()));
  }
  return content["context_bytes"].get<Bytes>();
}

std::string capacity_value(const ExecSettings& settings, const fs::path& profile) {
  const Bytes context = context_bytes(profile);
  if (settings.capacity.empty()) return {};
  const Bytes capacity = parse_bytes(settings.capacity);
  if (capacity <= context) {
    throw UsageError(fmt::format(
        "--capacity {} leaves nothing: the driver's context alone takes {} of this device; ask for "
        "more",
        settings.capacity, format_bytes(context)));
  }
  return std::to_string(capacity);
}

std::string devices_value(const ExecSettings& settings, const fs::path&) {
  if (settings.devices < 1 || settings.devices > 64)
    throw UsageError(fmt::format("--devices {}: 1 to 64 are possible", settings.devices));
  return std::to_string(settings.devices);
}

std::string order_value(const ExecSettings& settings, const fs::path&) {
  static const std::regex pattern("|falling|rising|random:[0-9]{1,19}");
  if (!std::regex_match(settings.order, pattern)) {
    throw UsageError(
        fmt::format("--order {}: falling, rising or random:SEED (a whole number) are possible",
                    settings.order));
  }
  return settings.order;
}

std::string reads_value(const ExecSettings& settings, const fs::path&) {
  if (settings.reads.empty() || settings.reads == "zeros" || settings.reads == "ones")
    return settings.reads;
  if (!fs::is_regular_file(settings.reads)) {
    throw UsageError(
        fmt::format("--reads {}: neither zeros nor ones, and there is no such file of answers",
                    settings.reads));
  }
  return absolute_text(settings.reads);
}

// Processes append to it, so it starts empty.
std::string log_value(const ExecSettings& settings, const fs::path&) {
  if (settings.log.empty()) return {};
  if (!std::ofstream(settings.log, std::ios::trunc)) {
    throw UsageError(fmt::format("--log {} cannot be written; name a file that can", settings.log));
  }
  return absolute_text(settings.log);
}

std::string cudnn_value(const ExecSettings& settings, const fs::path&) {
  if (settings.cudnn.empty()) return {};
  if (!fs::exists(fs::path(settings.cudnn) / kCudnn)) {
    throw UsageError(fmt::format(
        "--cudnn {}: that folder holds no libcudnn.so.9; name the lib folder of the cuDNN wheel",
        settings.cudnn));
  }
  return absolute_text(settings.cudnn);
}

std::string unknown_sizes_value(const ExecSettings& settings, const fs::path&) {
  return settings.unknown_sizes;
}

void check_posing(const ExecSettings& settings) {
  if (settings.world.has_value() != settings.rank.has_value())
    throw UsageError("--world N and --rank R belong together: rank R of N poses for all of them");
  if (!settings.world) return;
  if (*settings.world < 1 || *settings.rank < 0 || *settings.rank >= *settings.world) {
    throw UsageError(
        fmt::format("--rank {} of --world {}: ranks count from 0 to one below the world",
                    *settings.rank, *settings.world));
  }
}

std::string profile_value(const ExecSettings&, const fs::path& profile) {
  return fs::absolute(profile).string();
}

struct SettingRow {
  const char* variable;
  std::string (*value)(const ExecSettings&, const fs::path& profile);  ///< empty = unset
};

constexpr std::array kTable = {
    SettingRow{"SIMGPU_PROFILE", &profile_value},
    SettingRow{"SIMGPU_DEVICES", &devices_value},
    SettingRow{"SIMGPU_CAPACITY_BYTES", &capacity_value},
    SettingRow{"SIMGPU_ADDRESS_ORDER", &order_value},
    SettingRow{"SIMGPU_READS", &reads_value},
    SettingRow{"SIMGPU_KERNEL_LOG", &log_value},
    SettingRow{"SIMGPU_CUDNN_DIR", &cudnn_value},
    SettingRow{"SIMGPU_UNKNOWN_SIZES", &unknown_sizes_value},
};

}  // namespace

std::string find_cudnn(const fs::path& torch, const fs::path& standins) {
  const fs::path beside = torch.parent_path() / "nvidia" / "cudnn" / "lib";
  if (fs::exists(beside / kCudnn)) return beside.string();
  return fs::exists(standins / kCudartOfOurCudnn) ? cudnn_folder().string() : std::string();
}

fs::path find_profile(const std::string& device, const fs::path& profiles) {
  if (device.find('/') != std::string::npos || device.ends_with(".json")) {
    if (fs::is_regular_file(device)) return device;
    throw UsageError(fmt::format("--device {}: there is no such profile file", device));
  }
  auto names = device_names(profiles);
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("sim:"); });
  if (std::ranges::find(names, device) == names.end())
    throw UsageError(unknown_name("device", device, names));
  return profiles / (device.substr(4) + ".json");
}

Environment simgpu_environment(const ExecSettings& settings, const fs::path& profile) {
  check_posing(settings);
  Environment variables;
  for (const SettingRow& row : kTable) {
    std::string value = row.value(settings, profile);
    if (!value.empty()) variables.emplace_back(row.variable, std::move(value));
  }
  return variables;
}

std::vector<std::string> decided_variables() {
  std::vector<std::string> names;
  for (const SettingRow& row : kTable) names.emplace_back(row.variable);
  return names;
}

}  // namespace highwater
