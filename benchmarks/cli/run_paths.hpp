#pragma once

#include <filesystem>

#include "harness/compare/verdict.hpp"
#include "harness/config/suite_config.hpp"
#include "harness/record/record.hpp"
#include "harness/record/repeats.hpp"

namespace CLI {
class App;
}

namespace highwater::cli {

/// Flags of every command that judges a finished run.
struct JudgeFlags {
  std::filesystem::path run = "results/runs/latest";
  std::filesystem::path baselines = "results/baselines";
  std::filesystem::path budgets;  ///< empty = `budgets.toml` in the baselines' folder, if there
};

void add_judge_flags(CLI::App& app, JudgeFlags& flags);
void add_budget_flag(CLI::App& app, std::filesystem::path& budgets);

/// Budgets of a suite: those of the file or, where it is empty, of `budgets.toml` in the baselines'
/// folder; none where that is not there, or is about another suite.
/// @throws UsageError where a file that was asked for is about another suite, or one cannot be
/// read.
std::vector<Budget> suite_budgets(const std::filesystem::path& file,
                                  const std::filesystem::path& baselines, const std::string& suite);

struct JudgedRun {
  RunRecord run;
  std::vector<Verdict> verdicts;
};

/// Reads run, baselines and budgets and compares them; warnings of the reader go to standard error.
/// @throws UsageError where one of the files is not right, or a budget's glob matches no cell of a
/// suite that was not narrowed.
JudgedRun judge_run(const JudgeFlags& flags);

/// The published numbers of a suite; none where there is no such suite here.
std::vector<PublishedNumber> published_numbers(const std::string& suite);

/// read_run, its warnings on standard error.
RunRecord read_run_warning(const std::filesystem::path& path);

/// load_repeats, its warnings on standard error.
Repeats load_repeats_warning(const std::filesystem::path& path);

}  // namespace highwater::cli
