#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/measure_plan.hpp"
#include "benchmarks/cli/resume.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/compare/budget_check.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/shell_word.hpp"
#include "harness/record/run_folder.hpp"
#include "harness/report/markdown_report.hpp"
#include "harness/report/published_report.hpp"
#include "harness/report/table_report.hpp"
#include "harness/report/advice.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct RunFlags : MeasuringFlags {
  fs::path results = "results/runs";
  fs::path baselines = "results/baselines";
  fs::path budgets;
  bool dry_run = false;
  bool record_only = false;
  std::string resume;
};

ExitCode print_plan(const Plan& plan) {
  for (const PlannedCell& planned : plan.cells) {
    std::cout << cell_id(planned.cell);
    if (!planned.skip_reason.empty()) std::cout << "  skipped: " << planned.skip_reason;
    std::cout << "\n";
  }
  return ExitCode::ok;
}

// New, improved and incomparable rows are the gate's business; a run fails by what went wrong in
// it.
ExitCode run_status(const std::vector<Verdict>& verdicts) {
  ExitCode code = ExitCode::skipped;
  for (const Verdict& verdict : verdicts) {
    const ExitCode own = verdict_row(verdict.kind).code;
    const bool counts =
        own == ExitCode::regression || own == ExitCode::cell_error || own == ExitCode::skipped;
    code = worse(code, counts ? own : ExitCode::ok);
  }
  return code;
}

// The results are there whether or not the link is.
void update_latest(const fs::path& folder) {
  try {
    point_latest_at(folder);
  } catch (const UsageError& error) {
    std::cerr << "warning: " << error.what() << "\n";
  }
}

/// What the run is held against.
struct Limits {
  Baselines baselines;
  std::vector<Budget> budgets;
};

Limits read_limits(const RunFlags& flags, const Plan& plan) {
  Limits limits{read_baselines(flags.baselines, plan.suite.name),
                suite_budgets(flags.budgets, flags.baselines, plan.suite.name)};
  std::vector<std::string> cells;
  for (const PlannedCell& planned : plan.cells) cells.push_back(cell_id(planned.cell));
  if (!plan.narrowed) check_globs(limits.budgets, cells_of_suite(cells, limits.baselines));
  return limits;
}

ExitCode finish(const RunFlags& flags, const Limits& limits, const fs::path& folder,
                std::span<const PublishedNumber> published) {
  const RunRecord run = read_run(folder);
  const auto verdicts = judge(run, limits.baselines, limits.budgets);
  write_file_atomically(report_path(folder), markdown_report(run, verdicts, published));
  std::cout << console_text(run, verdicts, has_colour(STDOUT_FILENO));
  if (!published.empty()) std::cout << "\n" << to_text(published_table(run, published));
  std::cout << std::flush;
  update_latest(folder);
  const ExitCode code = run_status(verdicts);
  if (code == ExitCode::regression)
    std::cerr << "\n" << advice(run, verdicts, flags.baselines, folder);
  std::cerr << "\nrecords: " << records_path(folder).string()
            << "\nreport:  " << report_path(folder).string() << "\n";
  return flags.record_only ? ExitCode::ok : code;
}

ExitCode measure_and_finish(const RunFlags& flags, const Plan& plan, const InstallPaths& paths,
                            const Limits& limits, const fs::path& folder, RecordWriter& writer) {
  if (measure_plan(plan, paths, flags.jobs, folder, writer)) {
    arrange_records(folder);
    return finish(flags, limits, folder, plan.suite.published);
  }
  std::cerr << "interrupted; finished rows: " << records_path(folder).string()
            << "\ngo on with: highwater run --resume " << shell_word(folder.string()) << "\n";
  return ExitCode::interrupted;
}

// Everything that can be wrong beforehand is found before the first cell runs.
ExitCode run(const RunFlags& flags) {
  const InstallPaths paths = install_paths();
  const Plan plan = plan_to_measure(flags, paths);
  if (flags.dry_run) return print_plan(plan);
  const Limits limits = read_limits(flags, plan);
  check_writable(flags.results);
  const std::time_t now = std::time(nullptr);
  const RunHeader header = make_header(flags, plan, paths, now);
  const fs::path folder = create_run_folder(flags.results, now);
  const FileLock lock = lock_run_folder(folder);
  RecordWriter writer(records_path(folder), header);
  return measure_and_finish(flags, plan, paths, limits, folder, writer);
}

// Read twice: what is no interrupted run gets no lock file, and what is read under the lock counts.
ExitCode resume(const RunFlags& flags) {
  const InstallPaths paths = install_paths();
  const fs::path folder = folder_to_resume(flags.resume, flags.results);
  read_interrupted(folder);
  const FileLock lock = lock_run_folder(folder);
  const InterruptedRun run = read_interrupted(folder);
  const Plan plan = plan_of(run, folder, paths);
  const Limits limits = read_limits(flags, plan);
  check_same_machine(run.header, plan, folder, paths);
  if (flags.dry_run) return print_plan(plan);
  arrange_records(folder);
  RecordWriter writer(records_path(folder));
  return measure_and_finish(flags, plan, paths, limits, folder, writer);
}

const CLI::Option& add_resume_flag(CLI::App& command, RunFlags& flags) {
  auto* resume = command.add_option(
      "--resume", flags.resume,
      "go on with an interrupted run: its folder, or latest; what it selects stands in its header");
  // "--resume excludes --suite" says which of the two has to go; the library's own words are the
  // other way round.
  for (const char* chooses : {"--suite", "--device", "--model", "--technique", "--filter",
                              "--capacity", "--batch", "--timeout"}) {
    resume->excludes(command.get_option(chooses));
    command.get_option(chooses)->remove_excludes(resume);
  }
  return *resume;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("run", "measure the cells of a suite and print the trade-off tables");
  auto flags = std::make_shared<RunFlags>();
  add_measuring_flags(*command, *flags);
  command->add_option("--results", flags->results, "folder of run folders (default: results/runs)");
  command->add_option("--baselines", flags->baselines,
                      "folder of baselines (default: results/baselines)");
  add_budget_flag(*command, flags->budgets);
  command->add_flag("--dry-run", flags->dry_run, "print the cells, run none");
  command->add_flag("--record-only", flags->record_only,
                    "exit 0 once every row is written, whatever the rows say: a gate judges them");
  const CLI::Option& resumes = add_resume_flag(*command, *flags);
  command->callback([&action, &resumes, flags] {
    action = [&resumes, flags] { return resumes.count() == 0 ? run(*flags) : resume(*flags); };
  });
}

}  // namespace highwater::cli
