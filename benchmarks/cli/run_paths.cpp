#include "benchmarks/cli/run_paths.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "harness/compare/budget_check.hpp"
#include "harness/core/error.hpp"
#include "harness/compare/noise.hpp"
#include "harness/core/install_paths.hpp"

namespace highwater::cli {
namespace {

std::vector<std::string> cells_of(const RunRecord& run) {
  auto cells = planned_cells(run.header).value_or(std::vector<std::string>());
  for (const CellRecord& record : run.cells) cells.push_back(cell_id(record.cell));
  return cells;
}

}  // namespace

void add_judge_flags(CLI::App& app, JudgeFlags& flags) {
  app.add_option("run", flags.run, "run folder or records.jsonl (default: results/runs/latest)");
  app.add_option("--baselines", flags.baselines,
                 "folder of baselines (default: results/baselines)");
}

namespace {

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::cerr << "warning: " << warning << "\n";
}

}  // namespace

void add_budget_flag(CLI::App& app, std::filesystem::path& budgets) {
  app.add_option("--budgets", budgets,
                 "TOML file of budgets (default: budgets.toml in the baselines' folder, if there)");
}

std::vector<Budget> suite_budgets(const std::filesystem::path& file,
                                  const std::filesystem::path& baselines,
                                  const std::string& suite) {
  const auto beside = baselines / "budgets.toml";
  if (file.empty() && !std::filesystem::exists(beside)) return {};
  BudgetFile read = read_budgets(file.empty() ? beside : file);
  if (read.suite.empty() || read.suite == suite) return std::move(read.budgets);
  if (file.empty()) return {};
  throw UsageError(file.string() + ": holds budgets of suite " + read.suite +
                   ", but the run is of suite " + suite + "; name the file that is about it");
}

RunRecord read_run_warning(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw UsageError("cannot read " + path.string() +
                     ": there is no such run; make one with `highwater run`, or name another");
  }
  RunRecord run = read_run(path);
  warn(run.warnings);
  return run;
}

Repeats load_repeats_warning(const std::filesystem::path& path) {
  std::vector<std::string> warnings;
  Repeats repeats = load_repeats(path, warnings);
  warn(warnings);
  return repeats;
}

std::vector<PublishedNumber> published_numbers(const std::string& suite) {
  const auto folder = install_paths().suites;
  const auto names = suite_names(folder);
  if (std::ranges::find(names, suite) == names.end()) return {};
  return read_suite(folder, suite).published;
}

JudgedRun judge_run(const JudgeFlags& flags) {
  RunRecord run = read_run_warning(flags.run);
  const Baselines baselines = read_baselines(flags.baselines, run.header.suite);
  const auto budgets = suite_budgets(flags.budgets, flags.baselines, run.header.suite);
  if (!is_narrowed(run.header)) check_globs(budgets, cells_of_suite(cells_of(run), baselines));
  auto verdicts = judge(run, baselines, budgets);
  return {std::move(run), std::move(verdicts)};
}

}  // namespace highwater::cli
