#include "harness/record/run_folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <regex>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

// Records of the largest suite with their report and figure stay well below it.
constexpr std::size_t kProbeBytes = 4 << 20;

// A process that a killed run was just starting holds that run's lock until its exec, some
// milliseconds later: one of fifty runs resumed at once was refused.
constexpr std::chrono::seconds kPatience(2);

std::tm utc(std::time_t time) {
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return parts;
}

/// Second and number within it, of which the names of run folders are made.
using StartOfRun = std::pair<std::string, int>;

std::optional<StartOfRun> start_of_run(const std::string& name) {
  static const std::regex pattern("([0-9]{8}-[0-9]{6})(?:-([0-9]{1,6}))?");
  std::smatch parts;
  if (!std::regex_match(name, parts, pattern)) return std::nullopt;
  return StartOfRun{parts[1], parts[2].matched ? std::stoi(parts[2]) : 0};
}

[[noreturn]] void fail(std::string_view what, const fs::path& path, const std::string& reason) {
  throw UsageError(
      fmt::format("cannot {} {}: {}; nothing was measured, choose another folder with "
                  "--results",
                  what, path.string(), reason));
}

}  // namespace

std::string utc_text(std::time_t time) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc(time)); }

void check_writable(const fs::path& runs) {
  const fs::path probe = runs / fmt::format(".probe-{}", ::getpid());
  try {
    write_file_atomically(probe, std::string(kProbeBytes, '.'));
  } catch (const UsageError& error) {
    fail("write results below", runs, error.what());
  }
  std::error_code ignored;
  fs::remove(probe, ignored);
}

fs::path create_run_folder(const fs::path& runs, std::time_t time) {
  const std::string stamp = fmt::format("{:%Y%m%d-%H%M%S}", utc(time));
  std::error_code error;
  fs::create_directories(runs, error);
  for (int i = 0; !error; ++i) {
    const fs::path folder = runs / (i == 0 ? stamp : fmt::format("{}-{}", stamp, i));
    if (fs::create_directory(folder, error)) return folder;
  }
  fail("create a run folder in", runs, error.message());
}

fs::path records_path(const fs::path& run) { return run / "records.jsonl"; }

fs::path report_path(const fs::path& run) { return run / "report.md"; }

FileLock lock_run_folder(const fs::path& run) {
  return {run / ".lock", "the run folder " + run.string(), kPatience};
}

fs::path newest_run(const fs::path& runs) {
  std::optional<StartOfRun> newest;
  fs::path found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs, error)) {
    const auto start = start_of_run(entry.path().filename().string());
    std::error_code ignored;
    if (!start || start < newest || !fs::exists(records_path(entry.path()), ignored)) continue;
    newest = start;
    found = entry.path();
  }
  if (newest) return found;
  throw UsageError(
      fmt::format("there is no run in {}; name the folder of runs with --results", runs.string()));
}

void point_latest_at(const fs::path& run) {
  const fs::path latest = run.parent_path() / "latest";
  const fs::path beside = run.parent_path() / fmt::format(".latest-{}", ::getpid());
  std::error_code error;
  fs::remove(beside, error);
  fs::create_directory_symlink(run.filename(), beside, error);
  if (!error) fs::rename(beside, latest, error);
  if (error) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    throw UsageError(
        fmt::format("cannot point {} at {}: {}", latest.string(), run.string(), error.message()));
  }
}

}  // namespace highwater
