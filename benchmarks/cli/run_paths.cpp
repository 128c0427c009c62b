#include "benchmarks/cli/run_paths.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "harness/core/install_paths.hpp"

namespace highwater::cli {

void add_judge_flags(CLI::App& app, JudgeFlags& flags) {
  app.add_option("run", flags.run, "run folder or records.jsonl (default: results/runs/latest)");
  app.add_option("--baselines", flags.baselines,
                 "folder of baselines (default: results/baselines)");
}

RunRecord read_run_warning(const std::filesystem::path& path) {
  RunRecord run = read_run(path);
  for (const std::string& warning : run.warnings) std::cerr << "warning: " << warning << "\n";
  return run;
}

std::vector<PublishedNumber> published_numbers(const std::string& suite) {
  const auto folder = install_paths().suites;
  const auto names = suite_names(folder);
  if (std::ranges::find(names, suite) == names.end()) return {};
  return read_suite(folder, suite).published;
}

JudgedRun judge_run(const JudgeFlags& flags) {
  RunRecord run = read_run_warning(flags.run);
  auto verdicts = judge(run, read_baselines(flags.baselines, run.header.suite));
  return {std::move(run), std::move(verdicts)};
}

}  // namespace highwater::cli
