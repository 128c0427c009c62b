#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/core/files.hpp"
#include "harness/core/install_paths.hpp"
#include "harness/launch/installed_catalog.hpp"
#include "harness/page/page_document.hpp"
#include "harness/page/page_text.hpp"
#include "harness/report/markdown_report.hpp"
#include "harness/report/published_report.hpp"
#include "harness/report/table_report.hpp"

namespace highwater::cli {
namespace {

struct ReportFlags : JudgeFlags {
  std::string format = "text";
  std::filesystem::path html;
  std::filesystem::path against;
};

// A build without Torch has no catalogue: its page lacks what techniques say of themselves.
Catalog known_catalog() {
  const InstallPaths paths = install_paths();
  return std::filesystem::exists(paths.catalog) ? installed_catalog(paths, stop_flag()) : Catalog{};
}

std::string page_of_one(const ReportFlags& flags) {
  const auto [run, verdicts] = judge_run(flags);
  const Baselines baselines = read_baselines(flags.baselines, run.header.suite);
  const std::vector<PageRun> runs = {{flags.run.string(), run, verdicts, baselines}};
  return page_text(page_document(runs, known_catalog()));
}

std::string page_of_two(const ReportFlags& flags) {
  const RunRecord before = read_run_warning(flags.against);
  const RunRecord after = read_run_warning(flags.run);
  const auto verdicts = judge_against(before, after);
  const Baselines old = read_baselines(flags.baselines, before.header.suite);
  const Baselines now = read_baselines(flags.baselines, after.header.suite);
  const std::vector<PageRun> runs = {{flags.run.string(), after, verdicts, now},
                                     {flags.against.string(), before, {}, old}};
  return page_text(page_document(runs, known_catalog()));
}

ExitCode write_page(const ReportFlags& flags) {
  write_file_atomically(flags.html,
                        flags.against.empty() ? page_of_one(flags) : page_of_two(flags));
  return ExitCode::ok;
}

ExitCode report(const ReportFlags& flags) {
  if (!flags.html.empty()) return write_page(flags);
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
  auto* command = app.add_subcommand(
      "report", "print the trade-off tables of a finished run, or write its page");
  auto flags = std::make_shared<ReportFlags>();
  add_judge_flags(*command, *flags);
  add_budget_flag(*command, flags->budgets);
  auto* format = command->add_option("--format", flags->format, "text or markdown (default: text)")
                     ->check(CLI::IsMember({"text", "markdown"}));
  auto* html = command->add_option("--html", flags->html,
                                   "write one page for a browser here, and print nothing");
  html->excludes(format);
  command
      ->add_option("--against", flags->against,
                   "run folder or records.jsonl that the page holds this run against")
      ->needs(html);
  add_plugin_flag(*command);
  command->callback([&action, flags] { action = [flags] { return report(*flags); }; });
}

}  // namespace highwater::cli
