#include "benchmarks/cli/terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace highwater::cli {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

bool has_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace highwater::cli
