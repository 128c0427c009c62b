#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/report/markdown_report.hpp"
#include "harness/report/published_report.hpp"
#include "harness/report/table_report.hpp"

namespace highwater::cli {
namespace {

struct ReportFlags : JudgeFlags {
  std::string format = "text";
};

ExitCode report(const ReportFlags& flags) {
  const auto [run, verdicts] = judge_run(flags);
  const auto published = published_numbers(run.header.suite);
  if (flags.format == "markdown") {
    std::cout << markdown_report(run, verdicts, published);
    return ExitCode::ok;
  }
  std::cout << console_text(run, verdicts, has_colour(STDOUT_FILENO));
  if (!published.empty()) std::cout << "\n" << to_text(published_table(run, published));
  return ExitCode::ok;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("report", "print the trade-off tables of a finished run");
  auto flags = std::make_shared<ReportFlags>();
  add_judge_flags(*command, *flags);
  add_budget_flag(*command, flags->budgets);
  command->add_option("--format", flags->format, "text or markdown (default: text)")
      ->check(CLI::IsMember({"text", "markdown"}));
  command->callback([&action, flags] { action = [flags] { return report(*flags); }; });
}

}  // namespace highwater::cli
