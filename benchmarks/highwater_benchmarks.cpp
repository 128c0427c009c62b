// The cells as Google Benchmark benchmarks: --benchmark_filter, --benchmark_out and the rest work,
// the selection flags are those of `highwater run`. Peaks are counters. The reported real time is
// the cell's measured step time; where no step is timed (sim) it is 0, because the wall time of a
// process that only counts bytes is no property of the technique. CPU time is this parent's and
// means nothing.
//
// This is no gate: Google Benchmark exits 0 after errors. A cell that was not measured makes this
// program exit with 6 all the same; skipped and refused cells do not.

#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "benchmarks/cli/selection.hpp"
#include "benchmarks/cli/stop_signal.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/core/error.hpp"
#include "harness/launch/cell_process.hpp"
#include "harness/measure/metric.hpp"

namespace highwater {
namespace {

struct Context {
  cli::Plan plan;
  InstallPaths paths;
  ExitCode status = ExitCode::ok;
};

void count(benchmark::State& state, const Measurement& metrics, const std::string& suffix) {
  for (const auto& [id, value] : metrics) {
    if (find_metric(id)->unit != Unit::bytes) continue;
    state.counters[id + suffix] = static_cast<double>(value);
  }
}

double step_seconds(const Measurement& metrics) {
  const auto found = metrics.find("step_time_nanoseconds");
  return found == metrics.end() ? 0.0 : static_cast<double>(found->second) / 1e9;
}

void measure(benchmark::State& state, const PlannedCell& planned, Context& context) {
  if (!planned.skip_reason.empty()) {
    state.SkipWithError(("skipped: " + planned.skip_reason).c_str());
    return;
  }
  const MeasuredCell cell =
      measure_cell(planned.cell, context.plan.suite.protocol, context.paths, cli::stop_flag());
  if (cell.outcome.kind != OutcomeKind::measured) {
    const bool refused = cell.outcome.kind == OutcomeKind::refused;
    const ExitCode own = cell.interrupted ? ExitCode::interrupted
                         : refused        ? ExitCode::ok
                                          : ExitCode::cell_error;
    context.status = worse(context.status, own);
    state.SkipWithError((to_text(cell.outcome.kind) + ": " + cell.outcome.reason).c_str());
    return;
  }
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(step_seconds(cell.outcome.metrics));
  count(state, cell.outcome.metrics, "");
  count(state, cell.outcome.high, "_high");
}

// One iteration: a second one would be another process with the same bytes.
void register_cells(Context& context) {
  for (const PlannedCell& planned : context.plan.cells) {
    benchmark::RegisterBenchmark(
        cell_id(planned.cell).c_str(),
        [&planned, &context](benchmark::State& state) { measure(state, planned, context); })
        ->Iterations(1)
        ->UseManualTime();
  }
}

/// Takes our flags out of the arguments and leaves Google Benchmark's.
std::vector<std::string> take_selection(int argc, char** argv, cli::SelectionFlags& flags) {
  CLI::App app(
      "Cells as Google Benchmark benchmarks; --benchmark_... flags go to Google Benchmark.",
      "highwater_benchmarks");
  cli::add_selection_flags(app, flags);
  app.allow_extras();
  app.parse(argc, argv);
  std::vector<std::string> rest = app.remaining();
  rest.insert(rest.begin(), argv[0]);
  return rest;
}

ExitCode run_benchmarks(std::vector<std::string> arguments, const cli::SelectionFlags& flags) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return ExitCode::usage;
  Context context{.plan = {}, .paths = install_paths()};
  context.plan = cli::make_plan(flags, context.paths);
  register_cells(context);
  // Asked not to exit 0 where the filter matched nothing: nothing was shown.
  if (benchmark::RunSpecifiedBenchmarks() == 0) return ExitCode::usage;
  benchmark::Shutdown();
  return context.status;
}

}  // namespace
}  // namespace highwater

int main(int argc, char** argv) {
  using namespace highwater;
  try {
    cli::SelectionFlags flags;
    auto arguments = take_selection(argc, argv, flags);
    return cli::status_after_output(to_int(run_benchmarks(std::move(arguments), flags)));
  } catch (const CLI::ParseError& error) {
    const bool help = error.get_exit_code() == 0;
    (help ? std::cout : std::cerr) << (help ? "See --benchmark_help, and highwater run --help.\n"
                                            : std::string(error.what()) + "\n");
    return to_int(help ? ExitCode::ok : ExitCode::usage);
  } catch (const Error& error) {
    std::cerr << "highwater_benchmarks: " << error.what() << "\n";
    return to_int(error.code());
  }
}
