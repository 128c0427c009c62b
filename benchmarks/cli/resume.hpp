#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "benchmarks/cli/selection.hpp"
#include "harness/record/interrupted_run.hpp"

namespace highwater::cli {

/// The word that names the run which began last, in place of a folder.
inline constexpr const char* kLatestWord = "latest";

/// @throws UsageError where `run` is kLatestWord and `results` holds no run.
std::filesystem::path folder_to_resume(const std::string& run,
                                       const std::filesystem::path& results);

/// The cells that are left, with suite and protocol of the run's header, whatever the suite's file
/// says today. @throws UsageError where one of them does not exist here.
Plan plan_of(const InterruptedRun& run, const std::filesystem::path& folder,
             const InstallPaths& paths);

/// The testbeds of these devices here. @throws Error of describe_device.
std::map<std::string, Testbed> describe_devices(const std::vector<std::string>& devices,
                                                const Protocol& protocol,
                                                const InstallPaths& paths);

/// Versions that a header names: this program's, and that of torch where a testbed tells it.
std::map<std::string, std::string> versions_of(const std::map<std::string, Testbed>& testbeds);

/// @throws UsageError naming the first difference, where the run began on another testbed or with
/// another version: rows of both would stand under one header.
void check_same_machine(const RunHeader& header, const Plan& plan,
                        const std::filesystem::path& folder, const InstallPaths& paths);

}  // namespace highwater::cli
