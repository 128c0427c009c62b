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
  fs::path against;
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

/// The rounds of one installation.
struct Study {
  InstallPaths paths;
  RunHeader header;
  fs::path folder;
};

Study begin(const NoiseFlags& flags, const Plan& plan, const InstallPaths& paths) {
  const std::time_t now = std::time(nullptr);
  RunHeader header = make_header(flags, plan, paths, now);
  return {paths, std::move(header), create_run_folder(flags.results, now)};
}

/// @return false where it was interrupted.
bool measure_round(const NoiseFlags& flags, const Plan& plan, Study& study, int number) {
  study.header.created = utc_text(std::time(nullptr));
  const fs::path round = round_folder(study.folder, number);
  fs::create_directory(round);
  const FileLock lock = lock_run_folder(round);
  RecordWriter writer(records_path(round), study.header);
  if (!measure_plan(plan, study.paths, flags.jobs, round, writer)) return false;
  arrange_records(round);
  return true;
}

/// Round by round, the studies in turn, so that what drifts with time moves between rounds and
/// neither between cells nor between studies.
bool measure_rounds(const NoiseFlags& flags, const Plan& plan, std::vector<Study>& studies) {
  for (int i = 1; i <= flags.repeats; ++i) {
    std::cerr << "round " << i << " of " << flags.repeats << "\n";
    for (Study& study : studies) {
      if (!measure_round(flags, plan, study, i)) return false;
    }
  }
  return true;
}

Repeats summarise(const fs::path& folder) {
  Repeats repeats = repeats_of(read_rounds(folder).runs);
  write_file_atomically(folder / "noise.jsonl", repeats_text(repeats));
  std::cerr << "\nrounds:  " << folder.string()
            << "\nsummary: " << (folder / "noise.jsonl").string() << "\n";
  return repeats;
}

ExitCode measure(const NoiseFlags& flags) {
  const InstallPaths paths = install_paths();
  const Plan plan = plan_to_measure(flags, paths);
  check_writable(flags.results);
  std::vector<Study> studies;
  if (!flags.against.empty()) {
    studies.push_back(begin(flags, plan, installation_at(flags.against)));
  }
  studies.push_back(begin(flags, plan, paths));
  const fs::path folder = studies.back().folder;
  if (!measure_rounds(flags, plan, studies)) {
    std::cerr << "interrupted; for what the finished rounds say: highwater noise --from "
              << folder.string() << "\n";
    return ExitCode::interrupted;
  }
  if (studies.size() > 1) {
    const fs::path other = studies.front().folder;
    summarise(other);
    std::cerr << "compare: highwater compare " << other.string() << " " << folder.string()
              << " --time\n";
  }
  const Repeats repeats = summarise(folder);
  point_latest_at(folder);
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
  command->add_option("--against", flags->against,
                      "another installation, measured too, its rounds and ours in turn: two "
                      "studies for compare --time");
  add_from(*command, *flags);
  command->add_option("--format", flags->format, "text or markdown (default: text)")
      ->check(CLI::IsMember({"text", "markdown"}));
  command->callback([&action, flags] { action = [flags] { return noise(*flags); }; });
}

}  // namespace highwater::cli
