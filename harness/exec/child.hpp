#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace highwater {

/// A program with its arguments and what differs from our own environment.
struct ChildCommand {
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< as the program sees them: arguments[0] is its name
  std::vector<std::pair<std::string, std::string>> environment;  ///< set
  std::vector<std::string> unset;                                ///< taken away
};

/// Runs the command with our own standard input, output and error and waits for it. SIGINT,
/// SIGTERM, SIGHUP and SIGQUIT that somebody sends us are passed on to it; those that the terminal
/// sends reach it anyway. Returns its exit status, or 128 + signal where one ended it.
/// @throws UsageError where it cannot be started.
int run_in_foreground(const ChildCommand& command);

struct Captured {
  int status = 0;      ///< as above
  std::string output;  ///< standard output; standard error is ours
};

/// Runs the command with nothing on standard input and keeps what it prints.
/// @throws UsageError where it cannot be started.
Captured capture_output(const ChildCommand& command);

}  // namespace highwater
