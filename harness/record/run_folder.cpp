#include "harness/record/run_folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

// Records of the largest suite with their report and figure stay well below it.
constexpr std::size_t kProbeBytes = 4 << 20;

std::tm utc(std::time_t time) {
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return parts;
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
