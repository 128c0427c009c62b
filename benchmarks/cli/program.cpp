#include "benchmarks/cli/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "benchmarks/cli/commands.hpp"
#include "benchmarks/cli/terminal.hpp"
#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"

namespace highwater::cli {
namespace {

std::string exit_code_text() {
  std::string text = "Exit status:\n";
  for (const ExitCodeRow& row : exit_codes()) {
    text += fmt::format("  {:>3}  {}\n", to_int(row.code), row.meaning);
  }
  return text;
}

/// The command line of `highwater exec` holds that of another program behind two dashes, that of
/// `highwater plot` behind its name. It is kept from the parser, which would read "[a,b]" as a list
/// and drop empty words.
struct CommandLine {
  std::vector<std::string> own;
  std::vector<std::string> program;
};

CommandLine split(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty()) return {};
  if (words.front() == "plot") return {{"plot"}, {words.begin() + 1, words.end()}};
  if (words.front() != "exec") return {std::move(words), {}};
  const auto dashes = std::ranges::find(words, "--");
  CommandLine line{{words.begin(), dashes}, {}};
  if (dashes != words.end()) line.program.assign(dashes + 1, words.end());
  return line;
}

void set_up(CLI::App& app, Action& action, const CommandLine& line) {
  app.set_version_flag("--version", std::string("highwater ") + HIGHWATER_VERSION);
  app.require_subcommand(1);
  app.footer(exit_code_text());
  for (auto* add : {add_list, add_run, add_gate, add_compare, add_noise, add_baseline, add_report,
                    add_export, add_inspect, add_capture, add_snapshot, add_doctor}) {
    add(app, action);
  }
  add_exec(app, action, line.program);
  add_plot(app, action, line.program);
}

/// The subcommand that was reached before parsing stopped.
const CLI::App& reached(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : reached(*chosen.front());
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = reached(app);
  const auto rest = command.remaining();
  if (rest.empty()) return error.what();
  const std::string word = rest.front().substr(0, rest.front().find('='));
  if (word.starts_with("-")) return unknown_name("flag", word, flag_names(command));
  const auto commands = command_names(command);
  return commands.empty() ? fmt::format("unexpected argument \"{}\"", word)
                          : unknown_name("command", word, commands);
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  std::string command;
  for (const CLI::App* at = &reached(app); at->get_parent() != nullptr; at = at->get_parent()) {
    command = " " + at->get_name() + command;
  }
  std::cerr << "highwater: " << explain(app, error) << "\nSee highwater" << command << " --help.\n";
  return to_int(ExitCode::usage);
}

int run_action(const Action& action) {
  try {
    return to_int(action());
  } catch (const Error& error) {
    std::cerr << "highwater: " << error.what() << "\n";
    return to_int(error.code());
  } catch (const std::exception& error) {
    std::cerr << "highwater: internal error: " << error.what() << "\n";
    return to_int(ExitCode::internal);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app("Measures what training-memory techniques cost and save, and gates memory budgets.",
               "highwater");
  Action action;
  const CommandLine line = split(argc, argv);
  set_up(app, action, line);
  try {
    app.parse(std::vector<std::string>(line.own.rbegin(), line.own.rend()));  // it reads backwards
  } catch (const CLI::ParseError& error) {
    return status_after_output(report_parse_error(app, error));
  }
  return status_after_output(run_action(action));
}

}  // namespace highwater::cli
