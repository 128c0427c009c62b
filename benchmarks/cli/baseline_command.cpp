#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "harness/compare/accept.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/run_folder.hpp"
#include "harness/report/verdict_report.hpp"

namespace highwater::cli {
namespace {

struct AcceptFlags : JudgeFlags {
  std::string reason;
  bool prune = false;
};

void check(const AcceptFlags& flags, const RunRecord& run) {
  if (flags.reason.find_first_not_of(" \t\n") == std::string::npos) {
    throw UsageError(
        "--reason is empty: say in a few words why the values move; it is committed "
        "with them");
  }
  if (!flags.prune) return;
  if (is_narrowed(run.header)) {
    throw UsageError(
        "--prune needs a run of the whole suite: this one was narrowed by flags, and "
        "cells it left out would lose their baselines");
  }
  if (!is_complete(run)) {
    throw UsageError(
        "--prune needs a complete run: this one does not hold every cell that it planned "
        "(interrupted?), and those it lacks would lose their baselines");
  }
}

void print(const Acceptance& acceptance, const std::filesystem::path& path) {
  std::cout << path.string() << ": "
            << (acceptance.changes.empty()
                    ? "nothing moved\n"
                    : fmt::format("{} rows move\n", acceptance.changes.size()));
  if (!acceptance.changes.empty()) std::cout << to_text(acceptance_table(acceptance));
  for (const std::string& cell : acceptance.kept) {
    std::cerr << "not accepted, old rows stay: " << cell << "\n";
  }
}

ExitCode accept(const AcceptFlags& flags) {
  const RunRecord run = read_run_warning(flags.run);
  check(flags, run);
  const Baselines old = read_baselines(flags.baselines, run.header.suite);
  const AcceptOptions options{utc_text(std::time(nullptr)).substr(0, 10), flags.reason,
                              flags.prune};
  bool moved = false;
  bool refused = false;
  for (const auto& [device, testbed] : run.header.testbeds) {
    const auto found = old.find(testbed.id);
    const BaselineFile old_file =
        found != old.end() ? found->second : BaselineFile{testbed.id, run.header.suite, {}, {}};
    const auto acceptance = accept_run(old_file, run, options);
    const auto path = baseline_path(flags.baselines, testbed.id, run.header.suite);
    if (!acceptance.changes.empty()) write_file_atomically(path, baseline_text(acceptance.file));
    if (acceptance.file.profiles != old_file.profiles) {
      write_file_atomically(profiles_path(flags.baselines, testbed.id, run.header.suite),
                            profiles_text(acceptance.file.profiles));
    }
    print(acceptance, path);
    moved = moved || !acceptance.changes.empty();
    refused = refused || !acceptance.kept.empty();
  }
  return refused && !moved ? ExitCode::cell_error : ExitCode::ok;
}

}  // namespace

void add_baseline(CLI::App& app, Action& action) {
  auto* group = app.add_subcommand("baseline", "maintain the committed baselines");
  group->require_subcommand(1);
  auto* command =
      group->add_subcommand("accept", "make a run's values the baseline, where they moved");
  auto flags = std::make_shared<AcceptFlags>();
  add_judge_flags(*command, *flags);
  command->add_option("--reason", flags->reason, "why the values move; kept beside them")
      ->required();
  command->add_flag("--prune", flags->prune, "also remove rows of cells that no longer exist");
  command->callback([&action, flags] { action = [flags] { return accept(*flags); }; });
}

}  // namespace highwater::cli
