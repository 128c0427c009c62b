#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <set>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/repository.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/nearest.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/record/row_history.hpp"
#include "harness/report/baseline_report.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

struct ExplainFlags {
  std::string cell;
  fs::path baselines = "results/baselines";
  std::string suite = "default";
};

// The rows as they stand are worth showing without a history.
std::vector<RowChange> history_of(const ExplainFlags& flags) {
  try {
    return row_history(baseline_log(flags.baselines, flags.suite), flags.cell);
  } catch (const UsageError& error) {
    std::cerr << "no history: " << error.what() << "\n";
    return {};
  }
}

std::string unknown_cell(const ExplainFlags& flags, const Baselines& baselines) {
  std::set<std::string> cells;
  for (const auto& [testbed, file] : baselines) {
    for (const BaselineRow& row : file.rows) cells.insert(row.cell);
  }
  const auto near = nearest(flags.cell, {cells.begin(), cells.end()});
  return "highwater: " + flags.baselines.string() + ": suite " + flags.suite +
         " has, and had, no baseline of " + flags.cell +
         (near.empty() ? "; `highwater baseline accept` makes them"
                       : "; did you mean " + near.front() + "?") +
         "\n";
}

ExitCode explain(const ExplainFlags& flags) {
  parse_cell_id(flags.cell);
  if (!is_plain_name(flags.suite)) {
    throw UsageError("suite \"" + flags.suite +
                     "\" is no name: use letters, digits and . _ + - only");
  }
  const Baselines baselines = read_baselines(flags.baselines, flags.suite);
  const auto history = history_of(flags);
  const Table now = current_rows_table(baselines, flags.cell);
  if (now.rows.empty() && history.empty()) {
    std::cerr << unknown_cell(flags, baselines);
    return ExitCode::missing;
  }
  if (!now.rows.empty()) std::cout << to_text(now);
  if (!now.rows.empty() && !history.empty()) std::cout << "\n";
  if (!history.empty()) std::cout << to_text(history_table(history));
  return ExitCode::ok;
}

}  // namespace

void add_explain(CLI::App& group, Action& action) {
  auto* command =
      group.add_subcommand("explain", "say when and why the baseline rows of a cell moved");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("cell", flags->cell, "id of the cell")->required();
  command->add_option("--baselines", flags->baselines,
                      "folder of baselines (default: results/baselines)");
  command->add_option("--suite", flags->suite, "whose baselines (default: default)");
  command->callback([&action, flags] { action = [flags] { return explain(*flags); }; });
}

}  // namespace highwater::cli
