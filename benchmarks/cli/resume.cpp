#include "benchmarks/cli/resume.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/cli/run_paths.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/launch/installed_catalog.hpp"
#include "harness/matrix/device.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAbsent = "none";

// Numbers that the header's own writer would not have written back are refused, fractions among
// them: the library would cut them.
Protocol read_protocol(const RunHeader& header, const fs::path& folder) {
  const nlohmann::json said = header.settings.value("protocol", nlohmann::json());
  try {
    const auto protocol = said.get<Protocol>();
    const nlohmann::json written = protocol;
    const bool positive = std::ranges::all_of(written, [](const auto& n) { return n >= 1; });
    if (positive && written.dump() == said.dump()) return protocol;
  } catch (const nlohmann::json::exception&) {
  }
  throw UsageError(
      fmt::format("{} cannot be resumed: settings.protocol of its header is {}, which "
                  "is no protocol of this version; start a new run",
                  folder.string(), said.dump()));
}

/// "fact cudnn was 9.1, here it is 9.2", or nothing.
std::string first_difference(std::string_view what, const std::map<std::string, std::string>& then,
                             const std::map<std::string, std::string>& now) {
  auto names = then;
  names.insert(now.begin(), now.end());
  const auto text = [](const auto& texts, const std::string& name) {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string(kAbsent) : found->second;
  };
  for (const auto& [name, value] : names) {
    if (text(then, name) == text(now, name)) continue;
    return fmt::format("{} {} was {}, here it is {}", what, name, text(then, name),
                       text(now, name));
  }
  return {};
}

std::string difference_of(const RunHeader& header, const std::map<std::string, Testbed>& here) {
  const auto versions = first_difference("version of", header.versions, versions_of(here));
  if (!versions.empty()) return versions;
  for (const auto& [device, then] : header.testbeds) {
    const Testbed& now = here.at(device);
    const auto facts = first_difference(device + ": fact", then.facts, now.facts);
    if (!facts.empty()) return facts;
    if (then.id != now.id)
      return fmt::format("testbed of {} was {}, here it is {}", device, then.id, now.id);
  }
  return {};
}

}  // namespace

fs::path folder_to_resume(const std::string& run, const fs::path& results) {
  return run == kLatestWord ? newest_run(results) : fs::path(run);
}

Plan plan_of(const InterruptedRun& run, const fs::path& folder, const InstallPaths& paths) {
  const Catalog catalog = installed_catalog(paths, stop_flag());
  const auto known_devices = device_names(paths.profiles);
  Plan plan;
  plan.suite.name = run.header.suite;
  plan.suite.protocol = read_protocol(run.header, folder);
  plan.suite.published = published_numbers(run.header.suite);
  for (const auto& [device, testbed] : run.header.testbeds) {
    if (std::ranges::find(known_devices, device) == known_devices.end())
      throw UsageError(unknown_name("device", device, known_devices));
    plan.devices.push_back(device);
  }
  for (const Cell& cell : run.left) {
    check_cell(cell, catalog, known_devices);
    plan.cells.push_back({cell, skip_reason(cell, catalog)});
  }
  return plan;
}

std::map<std::string, Testbed> describe_devices(const std::vector<std::string>& devices,
                                                const Protocol& protocol,
                                                const InstallPaths& paths) {
  std::map<std::string, Testbed> testbeds;
  for (const std::string& device : devices)
    testbeds[device] = describe_device(device, protocol, paths, stop_flag());
  return testbeds;
}

std::map<std::string, std::string> versions_of(const std::map<std::string, Testbed>& testbeds) {
  std::map<std::string, std::string> versions = {{"highwater", HIGHWATER_VERSION}};
  for (const auto& [device, testbed] : testbeds) {
    if (const auto torch = testbed.facts.find("torch"); torch != testbed.facts.end())
      versions["torch"] = torch->second;
  }
  return versions;
}

void check_same_machine(const RunHeader& header, const Plan& plan, const fs::path& folder,
                        const InstallPaths& paths) {
  const auto here = describe_devices(plan.devices, plan.suite.protocol, paths);
  const std::string difference = difference_of(header, here);
  if (difference.empty()) return;
  throw UsageError(
      fmt::format("{} cannot be resumed here: {}; go on where it began, or start a new run",
                  folder.string(), difference));
}

}  // namespace highwater::cli
