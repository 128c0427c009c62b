#pragma once

namespace highwater::cli {

/// The whole `highwater` program: parses the command line, runs the command, and returns the exit
/// status of harness/core/exit_code.hpp. Results go to standard output, all else to standard error.
int run_program(int argc, char** argv);

}  // namespace highwater::cli
