#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/run_paths.hpp"
#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "harness/core/install_paths.hpp"
#include "harness/export/ctest_measurements.hpp"
#include "harness/launch/installed_catalog.hpp"
#include "harness/matrix/device.hpp"
#include "harness/matrix/expand.hpp"
#include "harness/report/advice.hpp"
#include "harness/report/verdict_report.hpp"

namespace highwater::cli {
namespace {

struct GateFlags : JudgeFlags {
  std::string cell;
  bool dashboard = false;
};

// A cell that the run does not hold is missing, but one that cannot exist is a mistake of whoever
// asks.
void keep_only(std::vector<Verdict>& verdicts, const std::string& id) {
  const Cell cell = parse_cell_id(id);
  std::erase_if(verdicts, [&](const Verdict& verdict) { return verdict.cell != id; });
  if (!verdicts.empty()) return;
  const InstallPaths paths = install_paths();
  check_cell(cell, installed_catalog(paths, stop_flag()), device_names(paths.profiles));
  verdicts.push_back({id, VerdictKind::missing, "is not in this run", {}, Remedy::repair, ""});
}

ExitCode gate(const GateFlags& flags) {
  auto [run, verdicts] = judge_run(flags);
  if (!flags.cell.empty()) keep_only(verdicts, flags.cell);
  // CTest's readers look for the reason of a skip in the first line.
  if (verdicts.size() == 1 && verdict_row(verdicts.front().kind).code == ExitCode::skipped) {
    std::cout << "skipped: " << verdicts.front().reason << "\n";
  }
  std::cout << verdict_lines(verdicts);
  if (flags.dashboard) std::cout << ctest_measurements(find_record(run, flags.cell));
  std::cerr << advice(run, verdicts, flags.baselines, flags.run);
  return exit_code_of(verdicts);
}

}  // namespace

void add_gate(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("gate", "hold a run against the committed baselines and budgets");
  auto flags = std::make_shared<GateFlags>();
  add_judge_flags(*command, *flags);
  add_budget_flag(*command, flags->budgets);
  add_plugin_flag(*command);
  auto* cell = command->add_option("--cell", flags->cell, "judge only the cell with this id");
  command
      ->add_flag("--dashboard", flags->dashboard,
                 "print the metrics of the cell as measurements for a CTest dashboard")
      ->needs(cell);
  command->callback([&action, flags] { action = [flags] { return gate(*flags); }; });
}

}  // namespace highwater::cli
