#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/core/exit_code.hpp"

namespace CLI {
class App;
}

namespace highwater::cli {

/// What parsing the command line decided to do. Run after parsing, so that its errors are never
/// taken for errors of the command line.
using Action = std::function<ExitCode()>;

/// Each adds one subcommand with its flags; parsing it sets `action`.
void add_list(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_gate(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_noise(CLI::App& app, Action& action);
void add_baseline(CLI::App& app, Action& action);
/// Below `baseline`.
void add_propose(CLI::App& group, Action& action);
void add_explain(CLI::App& group, Action& action);
void add_report(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_capture(CLI::App& app, Action& action);
void add_snapshot(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);

/// `program` is what follows the two dashes: another program's words, which are not parsed.
void add_exec(CLI::App& app, Action& action, const std::vector<std::string>& program);

/// `words` are all that follows: those of scripts/plot.py.
void add_plot(CLI::App& app, Action& action, const std::vector<std::string>& words);

}  // namespace highwater::cli
