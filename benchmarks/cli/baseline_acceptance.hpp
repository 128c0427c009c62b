#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/cli/run_paths.hpp"
#include "harness/compare/accept.hpp"

namespace highwater::cli {

/// Flags of the commands that make a run's values the baseline, or propose them.
struct AcceptFlags : JudgeFlags {
  std::string reason;
  bool prune = false;
  bool new_anchor = false;
};

void add_accept_flags(CLI::App& app, AcceptFlags& flags);

/// What becomes of one testbed's files.
struct FileAcceptance {
  Acceptance acceptance;
  /// New texts of those that change, rows and profiles, by path within the folder of baselines.
  std::map<std::filesystem::path, std::string> texts;
  bool moved() const { return !acceptance.changes.empty(); }
};

/// @throws UsageError where the run or the flags are not right.
RunRecord read_run_to_accept(const AcceptFlags& flags);

/// One per testbed of the run. Prints the tables of moves; cells whose old rows stay, and testbeds
/// of the suite that the run does not refresh, go to standard error. Writes no file.
/// @throws UsageError where a baseline is not right.
std::vector<FileAcceptance> accept_files(const RunRecord& run, const AcceptFlags& flags);

/// 3 where a value was too far above its anchor, 6 where nothing moved though something needed it.
ExitCode exit_code_of(const std::vector<FileAcceptance>& files);

}  // namespace highwater::cli
