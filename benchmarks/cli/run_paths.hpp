#pragma once

#include <filesystem>

#include "harness/compare/verdict.hpp"
#include "harness/config/suite_config.hpp"
#include "harness/record/record.hpp"

namespace CLI {
class App;
}

namespace highwater::cli {

/// Flags of every command that judges a finished run.
struct JudgeFlags {
  std::filesystem::path run = "results/runs/latest";
  std::filesystem::path baselines = "results/baselines";
};

void add_judge_flags(CLI::App& app, JudgeFlags& flags);

struct JudgedRun {
  RunRecord run;
  std::vector<Verdict> verdicts;
};

/// Reads run and baselines and compares them; warnings of the reader go to standard error.
/// @throws UsageError where one of the files is not right.
JudgedRun judge_run(const JudgeFlags& flags);

/// The published numbers of a suite; none where there is no such suite here.
std::vector<PublishedNumber> published_numbers(const std::string& suite);

/// read_run, its warnings on standard error.
RunRecord read_run_warning(const std::filesystem::path& path);

}  // namespace highwater::cli
