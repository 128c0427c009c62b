#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/compare/time_comparison.hpp"
#include "harness/report/advice.hpp"
#include "harness/report/compare_report.hpp"
#include "harness/report/noise_report.hpp"
#include "harness/report/verdict_colour.hpp"
#include "harness/report/verdict_report.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct CompareFlags {
  fs::path before;
  fs::path after;
  bool time = false;
  bool gate_time = false;
};

ExitCode compare_runs(const fs::path& before_path, const fs::path& after_path) {
  const RunRecord before = read_run_warning(before_path);
  const RunRecord after = read_run_warning(after_path);
  const auto verdicts = judge_against(before, after);
  const Table table = compare_table(before, after, verdicts);
  std::cout << (has_colour(STDOUT_FILENO) ? coloured_text(table) : to_text(table));
  if (const std::string growth = growth_text(verdicts); !growth.empty()) {
    std::cout << "\nWhat moved at the peak\n" << growth;
  }
  std::cout << std::flush;
  std::cerr << compare_advice(after, verdicts, before_path, after_path);
  return exit_code_of(verdicts);
}

ExitCode compare_step_times(const CompareFlags& flags) {
  const auto comparisons =
      compare_times(load_repeats_warning(flags.before), load_repeats_warning(flags.after));
  std::cout << "\n" << to_text(time_table(comparisons));
  return time_exit_code(comparisons);
}

// Rounds do not differ in what is gated, or `highwater noise` says so: the first stands for all.
ExitCode compare(const CompareFlags& flags) {
  if (!flags.time) return compare_runs(flags.before, flags.after);
  const ExitCode bytes = compare_runs(round_folder(flags.before, 1), round_folder(flags.after, 1));
  const ExitCode times = compare_step_times(flags);
  return flags.gate_time ? worse(bytes, times) : bytes;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("compare", "hold one run against another, cell by cell");
  auto flags = std::make_shared<CompareFlags>();
  command->add_option("before", flags->before, "run folder or records.jsonl")->required();
  command->add_option("after", flags->after, "run folder or records.jsonl")->required();
  auto* time = command->add_flag(
      "--time", flags->time,
      "both are folders of `highwater noise`: compare step times too, which decides nothing");
  command->add_flag("--gate-time", flags->gate_time, "exit with 3 where a cell is slower")
      ->needs(time);
  command->callback([&action, flags] { action = [flags] { return compare(*flags); }; });
}

}  // namespace highwater::cli
