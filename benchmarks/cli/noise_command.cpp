#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/measure_plan.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/interrupted_run.hpp"
#include "harness/record/run_folder.hpp"
#include "harness/report/noise_report.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct NoiseFlags : MeasuringFlags {
  fs::path results = "results/noise";
  fs::path from;
  int repeats = 5;
  std::string format = "text";
};

ExitCode status_of(const Repeats& repeats) {
  const bool failed = std::ranges::any_of(
      repeats.cells, [](const RepeatedCell& cell) { return !cell.failures.empty(); });
  if (failed) return ExitCode::cell_error;
  return repeats.cells.empty() ? ExitCode::skipped : ExitCode::ok;
}

ExitCode print(const Repeats& repeats, const std::string& format) {
  std::string text;
  for (const Table& table : noise_tables(repeats)) {
    text +=
        (text.empty() ? "" : "\n") + (format == "markdown" ? to_markdown(table) : to_text(table));
  }
  std::cout << text << std::flush;
  return status_of(repeats);
}

/// Round by round, so that what drifts with time moves between rounds and not between cells.
/// @return false where it was interrupted.
bool measure_rounds(const NoiseFlags& flags, const Plan& plan, RunHeader header,
                    const InstallPaths& paths, const fs::path& folder) {
  for (int i = 1; i <= flags.repeats; ++i) {
    std::cerr << "round " << i << " of " << flags.repeats << "\n";
    header.created = utc_text(std::time(nullptr));
    const fs::path round = round_folder(folder, i);
    fs::create_directory(round);
    const FileLock lock = lock_run_folder(round);
    RecordWriter writer(records_path(round), header);
    if (!measure_plan(plan, paths, flags.jobs, round, writer)) return false;
    arrange_records(round);
  }
  return true;
}

ExitCode measure(const NoiseFlags& flags) {
  const InstallPaths paths = install_paths();
  const Plan plan = plan_to_measure(flags, paths);
  check_writable(flags.results);
  const std::time_t now = std::time(nullptr);
  const RunHeader header = make_header(flags, plan, paths, now);
  const fs::path folder = create_run_folder(flags.results, now);
  if (!measure_rounds(flags, plan, header, paths, folder)) {
    std::cerr << "interrupted; for what the finished rounds say: highwater noise --from "
              << folder.string() << "\n";
    return ExitCode::interrupted;
  }
  const Repeats repeats = repeats_of(read_rounds(folder).runs);
  write_file_atomically(folder / "noise.jsonl", repeats_text(repeats));
  point_latest_at(folder);
  std::cerr << "\nrounds:  " << folder.string()
            << "\nsummary: " << (folder / "noise.jsonl").string() << "\n";
  return print(repeats, flags.format);
}

ExitCode noise(const NoiseFlags& flags) {
  return flags.from.empty() ? measure(flags)
                            : print(load_repeats_warning(flags.from), flags.format);
}

/// Nothing is measured where recorded rounds are read: flags that say what to measure, or how,
/// would be ignored.
void add_from(CLI::App& command, NoiseFlags& flags) {
  const auto measuring = command.get_options();
  CLI::Option* from = command.add_option("--from", flags.from,
                                         "measure nothing; read this noise folder or noise.jsonl");
  for (CLI::Option* option : measuring) {
    if (option != command.get_help_ptr()) from->excludes(option);
  }
}

}  // namespace

void add_noise(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand(
      "noise", "measure cells again and again, and say how far each metric moves");
  auto flags = std::make_shared<NoiseFlags>();
  add_measuring_flags(*command, *flags);
  command->add_option("--repeats", flags->repeats, "rounds to measure (default: 5)")
      ->check(CLI::Range(2, kMostRounds));
  command->add_option("--results", flags->results,
                      "folder of noise folders (default: results/noise)");
  add_from(*command, *flags);
  command->add_option("--format", flags->format, "text or markdown (default: text)")
      ->check(CLI::IsMember({"text", "markdown"}));
  command->callback([&action, flags] { action = [flags] { return noise(*flags); }; });
}

}  // namespace highwater::cli
