#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "harness/report/verdict_report.hpp"

namespace highwater::cli {
namespace {

struct CompareFlags {
  std::filesystem::path before;
  std::filesystem::path after;
};

ExitCode compare(const CompareFlags& flags) {
  const RunRecord before = read_run_warning(flags.before);
  const RunRecord after = read_run_warning(flags.after);
  const auto verdicts = judge_against(before, after);
  std::cout << to_text(compare_table(before, after, verdicts));
  if (const std::string growth = growth_text(verdicts); !growth.empty()) {
    std::cout << "\nWhat moved at the peak\n" << growth;
  }
  return exit_code_of(verdicts);
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("compare", "hold one run against another, cell by cell");
  auto flags = std::make_shared<CompareFlags>();
  command->add_option("before", flags->before, "run folder or records.jsonl")->required();
  command->add_option("after", flags->after, "run folder or records.jsonl")->required();
  command->callback([&action, flags] { action = [flags] { return compare(*flags); }; });
}

}  // namespace highwater::cli
