#include "benchmarks/cli/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "harness/core/exit_code.hpp"

namespace highwater::cli {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool has_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && (no_colour == nullptr || *no_colour == '\0');
}

int status_after_output(int status) {
  if (std::cout.flush()) return status;
  std::cerr << "highwater: standard output cannot be written: results were lost\n";
  return to_int(ExitCode::usage);
}

}  // namespace highwater::cli
