#include "benchmarks/cli/baseline_acceptance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <iostream>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/shell_word.hpp"
#include "harness/record/run_folder.hpp"
#include "harness/report/advice.hpp"
#include "harness/report/baseline_report.hpp"

namespace highwater::cli {
namespace {

void check(const AcceptFlags& flags, const RunRecord& run) {
  if (flags.reason.find_first_not_of(" \t\n") == std::string::npos) {
    throw UsageError(
        "--reason is empty: say in a few words why the values move; it is committed "
        "with them");
  }
  if (!flags.prune) return;
  if (is_narrowed(run.header)) {
    throw UsageError(
        flags.run.string() +
        ": --prune needs a run of the whole suite: this one was narrowed by flags, and cells it "
        "left out would lose their baselines; make one with `highwater run --suite " +
        run.header.suite + "`");
  }
  if (!is_complete(run)) {
    throw UsageError(
        flags.run.string() +
        ": --prune needs a complete run: this one does not hold every cell that it planned "
        "(interrupted?), and those it lacks would lose their baselines; go on with it: highwater "
        "run --resume " +
        shell_word(flags.run.string()));
  }
}

void print(const FileAcceptance& file, const std::filesystem::path& path,
           const AcceptFlags& flags) {
  const Acceptance& acceptance = file.acceptance;
  std::cout << path.string() << ": "
            << (file.moved() ? fmt::format("{} rows move\n", acceptance.changes.size())
                             : "nothing moved\n");
  if (file.moved()) std::cout << to_text(acceptance_table(acceptance));
  for (const std::string& cell : acceptance.kept) {
    std::cerr << path.string() << ": not accepted, old rows stay: " << cell << "\n";
  }
  if (!acceptance.kept.empty()) {
    std::cerr << "for what is wrong with them: highwater gate " << shell_word(flags.run.string())
              << " --baselines " << shell_word(flags.baselines.string()) << "\n";
  }
  for (const std::string& cell : acceptance.drifted) {
    std::cerr << path.string() << ": not accepted, old rows stay: " << cell
              << "; if the new level is meant, approve it with --new-anchor: "
              << accept_command(flags.run, flags.baselines, "--new-anchor") << "\n";
  }
}

FileAcceptance accept_file(const BaselineFile& old, const RunRecord& run,
                           const AcceptOptions& options) {
  FileAcceptance file{accept_run(old, run, options), {}};
  const BaselineFile& now = file.acceptance.file;
  if (file.moved()) file.texts[baseline_path("", old.testbed, old.suite)] = baseline_text(now);
  if (now.profiles != old.profiles) {
    file.texts[profiles_path("", old.testbed, old.suite)] = profiles_text(now.profiles);
  }
  return file;
}

// The same change moves the numbers of every card; rows left behind turn somebody else's gate red.
void warn_of_others(const RunRecord& run, const Baselines& baselines) {
  std::set<std::string> refreshed;
  for (const auto& [device, testbed] : run.header.testbeds) refreshed.insert(testbed.id);
  std::vector<std::string> others;
  for (const auto& [testbed, file] : baselines) {
    if (!refreshed.contains(testbed)) others.push_back(testbed);
  }
  if (others.empty()) return;
  std::cerr << fmt::format(
      "warning: only {} is refreshed by this run; the baselines of suite {} for {} stay as they "
      "are: measure there too if the change reaches them\n",
      fmt::join(refreshed, ", "), run.header.suite, fmt::join(others, ", "));
}

}  // namespace

void add_accept_flags(CLI::App& app, AcceptFlags& flags) {
  add_judge_flags(app, flags);
  app.add_option("--reason", flags.reason, "why the values move; kept beside them")->required();
  app.add_flag("--prune", flags.prune, "also remove rows of cells that no longer exist");
  app.add_flag("--new-anchor", flags.new_anchor,
               "approve the values as new levels, however far above the old ones");
}

RunRecord read_run_to_accept(const AcceptFlags& flags) {
  RunRecord run = read_run_warning(flags.run);
  check(flags, run);
  return run;
}

std::vector<FileAcceptance> accept_files(const RunRecord& run, const AcceptFlags& flags) {
  const Baselines old = read_baselines(flags.baselines, run.header.suite);
  const AcceptOptions options{.date = utc_text(std::time(nullptr)).substr(0, 10),
                              .reason = flags.reason,
                              .prune = flags.prune,
                              .new_anchor = flags.new_anchor};
  std::vector<FileAcceptance> files;
  for (const auto& [device, testbed] : run.header.testbeds) {
    const auto found = old.find(testbed.id);
    const BaselineFile before =
        found != old.end() ? found->second : BaselineFile{testbed.id, run.header.suite, {}, {}};
    files.push_back(accept_file(before, run, options));
    print(files.back(), baseline_path(flags.baselines, testbed.id, run.header.suite), flags);
  }
  if (std::ranges::any_of(files, &FileAcceptance::moved)) warn_of_others(run, old);
  return files;
}

ExitCode exit_code_of(const std::vector<FileAcceptance>& files) {
  const auto has_drifted = [](const auto& file) { return !file.acceptance.drifted.empty(); };
  if (std::ranges::any_of(files, has_drifted)) return ExitCode::regression;
  const auto has_kept = [](const auto& file) { return !file.acceptance.kept.empty(); };
  const bool moved = std::ranges::any_of(files, &FileAcceptance::moved);
  return std::ranges::any_of(files, has_kept) && !moved ? ExitCode::cell_error : ExitCode::ok;
}

}  // namespace highwater::cli
