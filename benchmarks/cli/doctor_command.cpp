#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/error.hpp"
#include "harness/doctor/checks.hpp"
#include "harness/doctor/profiles.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/matrix/device.hpp"
#include "harness/report/table.hpp"

namespace highwater::cli {
namespace {

struct DoctorFlags {
  std::string device = "cuda";
  std::string profile;
  bool force = false;
  std::string format = "text";
};

struct Diagnosis {
  std::vector<CheckResult> results;
  std::vector<SimulatedDevice> simulated;
  std::vector<DeviceSummary> real;
};

std::string state(const CheckResult& result) {
  if (result.finding.is_there) return "ok";
  return result.check->is_needed ? "MISSING" : "absent";
}

Table check_table(std::span<const CheckResult> results) {
  Table table{"This machine", {{""}, {"what"}, {"for"}, {"found"}}, {}};
  for (const CheckResult& result : results) {
    table.rows.push_back({state(result), std::string(result.check->name),
                          std::string(result.check->purpose), result.finding.what});
  }
  return table;
}

Table device_table(const Diagnosis& diagnosis) {
  Table table{"Devices",
              {{"device"},
               {"name"},
               {"capability"},
               {"memory", Align::right},
               {"multiprocessors", Align::right}},
              {}};
  const auto add = [&table](const std::string& device, const DeviceSummary& card) {
    table.rows.push_back({device, card.name, card.compute_capability,
                          format_bytes(card.total_memory_bytes),
                          std::to_string(card.multiprocessor_count)});
  };
  for (const DeviceSummary& card : diagnosis.real) add("cuda", card);
  for (const SimulatedDevice& device : diagnosis.simulated) {
    if (const auto* card = std::get_if<DeviceSummary>(&device.summary)) {
      add(device.device, *card);
    } else {
      table.rows.push_back({device.device, std::get<std::string>(device.summary), "", "", ""});
    }
  }
  return table;
}

std::string advice(std::span<const CheckResult> results) {
  std::string text;
  for (const CheckResult& result : results) {
    if (!result.finding.is_there)
      text += fmt::format("{}: {}.\n", result.check->name, result.check->remedy);
  }
  return text.empty() ? "" : "What to do\n" + text + "\n";
}

std::string as_text(const Diagnosis& diagnosis) {
  return to_text(check_table(diagnosis.results)) + "\n" + advice(diagnosis.results) +
         to_text(device_table(diagnosis)) + "\n" +
         (is_ready(diagnosis.results) ? "The simulation is ready.\n"
                                      : "The simulation cannot run here yet.\n");
}

nlohmann::json as_json(const Diagnosis& diagnosis) {
  nlohmann::json checks = nlohmann::json::array();
  for (const auto& [check, finding] : diagnosis.results) {
    checks.push_back({{"name", check->name},
                      {"needed", check->is_needed},
                      {"purpose", check->purpose},
                      {"there", finding.is_there},
                      {"found", finding.what},
                      {"remedy", check->remedy}});
  }
  nlohmann::json simulated = nlohmann::json::object();
  for (const SimulatedDevice& device : diagnosis.simulated) {
    std::visit([&](const auto& summary) { simulated[device.device] = summary; }, device.summary);
  }
  return {{"ready", is_ready(diagnosis.results)},
          {"checks", checks},
          {"simulated", simulated},
          {"real", diagnosis.real}};
}

std::vector<DeviceSummary> real_devices(const Machine& machine) {
  if (!nvidia_driver_present()) return {};
  try {
    return probe_device("cuda", {}, machine.paths, *machine.stop).devices;
  } catch (const Error& error) {
    if (error.code() == ExitCode::interrupted) throw;
    return {};  // the check "real GPU" says why
  }
}

ExitCode diagnose(const DoctorFlags& flags) {
  const Machine machine{install_paths(), cache_folder(), &stop_flag()};
  const Diagnosis diagnosis{examine(machine), simulated_devices(machine.paths.profiles),
                            real_devices(machine)};
  std::cout << (flags.format == "json" ? as_json(diagnosis).dump(2) + "\n" : as_text(diagnosis));
  return is_ready(diagnosis.results) ? ExitCode::ok : ExitCode::not_ready;
}

ExitCode write_profile_of(const DoctorFlags& flags) {
  const InstallPaths paths = install_paths();
  const auto devices =
      resolve_devices({flags.device}, device_names(paths.profiles), nvidia_driver_present());
  const DeviceProbe probe = probe_device(devices.front(), {}, paths, stop_flag());
  for (const auto& file : write_profile(probe, flags.profile, flags.force))
    std::cout << file.string() << "\n";
  return ExitCode::ok;
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "doctor", "what this machine has and lacks, what to do about it, and the devices there are");
  auto flags = std::make_shared<DoctorFlags>();
  auto* profile = command->add_option(
      "--write-profile", flags->profile,
      "write a device profile of the GPU to this file, and what cuDNN needs beside it");
  command->add_option("--device", flags->device, "the device to profile (default: cuda)")
      ->needs(profile);
  command->add_flag("--force", flags->force, "replace files that exist")->needs(profile);
  command->add_option("--format", flags->format, "text or json (default: text)")
      ->check(CLI::IsMember({"text", "json"}))
      ->excludes(profile);
  command->callback([&action, flags, profile] {
    action = [flags, writes = profile->count() > 0] {
      return writes ? write_profile_of(*flags) : diagnose(*flags);
    };
  });
}

}  // namespace highwater::cli
