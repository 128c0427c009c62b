#include "benchmarks/cli/measure_plan.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "benchmarks/cli/resume.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/launch/suite_runner.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater::cli {

void add_measuring_flags(CLI::App& app, MeasuringFlags& flags) {
  add_selection_flags(app, flags);
  app.add_option("--jobs", flags.jobs,
                 "cells at once (default: 2, or 1 on one core; always 1 on cuda)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--timeout", flags.timeout,
                 "seconds after which a cell is killed, instead of the suite's")
      ->check(CLI::Range(1, 1000000));
}

Plan plan_to_measure(const MeasuringFlags& flags, const InstallPaths& paths) {
  Plan plan = make_plan(flags, paths);
  if (flags.timeout > 0) plan.suite.protocol.timeout_seconds = flags.timeout;
  return plan;
}

RunHeader make_header(const SelectionFlags& flags, const Plan& plan, const InstallPaths& paths,
                      std::time_t now) {
  RunHeader header;
  header.suite = plan.suite.name;
  header.created = utc_text(now);
  header.testbeds = describe_devices(plan.devices, plan.suite.protocol, paths);
  header.versions = versions_of(header.testbeds);
  header.settings = {{"protocol", plan.suite.protocol},
                     {"selection", selection_json(flags, plan)},
                     {"planned_cells", nlohmann::json::array()}};
  for (const PlannedCell& planned : plan.cells) {
    header.settings["planned_cells"].push_back(cell_id(planned.cell));
  }
  return header;
}

bool measure_plan(const Plan& plan, const InstallPaths& paths, int jobs,
                  const std::filesystem::path& folder, RecordWriter& writer) {
  const RunnerOptions options{.paths = paths,
                              .protocol = plan.suite.protocol,
                              .jobs = jobs_for(plan.cells, jobs),
                              .log_folder = folder / "logs"};
  Progress progress(std::cerr, is_terminal(STDERR_FILENO), plan.cells.size());
  const bool complete = run_suite(plan.cells, options, stop_flag(), progress,
                                  [&](const Cell& cell, const CellOutcome& outcome) {
                                    writer.append({cell, outcome});
                                  });
  progress.close();
  return complete;
}

}  // namespace highwater::cli
