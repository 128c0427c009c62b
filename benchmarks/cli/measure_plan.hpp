#pragma once

#include <ctime>
#include <filesystem>

#include "benchmarks/cli/selection.hpp"
#include "harness/record/record.hpp"

namespace highwater::cli {

/// Flags of every command that measures cells.
struct MeasuringFlags : SelectionFlags {
  int jobs = 0;     ///< cells at once; 0 = as jobs_for says
  int timeout = 0;  ///< seconds; 0 = the suite's
};

void add_measuring_flags(CLI::App& app, MeasuringFlags& flags);

/// make_plan, under the protocol that the flags ask for.
Plan plan_to_measure(const MeasuringFlags& flags, const InstallPaths& paths);

/// What holds for all cells of the plan. Describes each device, in a process of its own.
/// @throws Error where one is not usable here.
RunHeader make_header(const SelectionFlags& flags, const Plan& plan, const InstallPaths& paths,
                      std::time_t now);

/// Measures the plan into the records of `folder`, and logs/ beside them where cells printed
/// anything.
/// @return false where it was interrupted; finished rows are in the records.
bool measure_plan(const Plan& plan, const InstallPaths& paths, int jobs,
                  const std::filesystem::path& folder, RecordWriter& writer);

}  // namespace highwater::cli
