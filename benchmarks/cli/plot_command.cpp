#include <CLI/CLI.hpp>

#include "benchmarks/cli/commands.hpp"
#include "harness/core/error.hpp"
#include "harness/core/install_paths.hpp"
#include "harness/doctor/machine.hpp"
#include "harness/exec/child.hpp"

namespace highwater::cli {
namespace {

namespace fs = std::filesystem;

/// The one that is named, the one that scripts/setup.sh made, or any: the script says whether it
/// has matplotlib.
fs::path find_python() {
  if (const auto named = environment_value("HIGHWATER_PYTHON")) return *named;
  const fs::path inside = fs::path("bin") / "python";
  if (const auto folder = cached(cache_folder(), "python-matplotlib-", inside)) {
    return *folder / inside;
  }
  if (const auto python = program_on_path("python3")) return *python;
  throw UsageError(
      "figures need Python 3.11 with matplotlib, and there is no python3 on PATH: run "
      "scripts/setup.sh, or set HIGHWATER_PYTHON to one");
}

ExitCode plot(const std::vector<std::string>& words) {
  const fs::path script = install_paths().scripts / "plot.py";
  if (!fs::exists(script)) {
    throw UsageError(script.string() +
                     " is not there: figures need the scripts of an installation or a checkout");
  }
  const fs::path python = find_python();
  // -B: an installation may be read-only, and a checkout stays clean.
  ChildCommand command{python, {python.string(), "-B", script.string()}, {}, {}};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  return static_cast<ExitCode>(run_in_foreground(command));
}

}  // namespace

void add_plot(CLI::App& app, Action& action, const std::vector<std::string>& words) {
  auto* command = app.add_subcommand("plot", "draw figures of a finished run (needs Python)");
  command->callback([&action, words] { action = [words] { return plot(words); }; });
}

}  // namespace highwater::cli
