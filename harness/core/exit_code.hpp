#pragma once

#include <span>
#include <string_view>

namespace highwater {

/// What the program's exit status says. Never a count, so that a shell can branch on it.
enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,
  regression = 3,
  stale_baseline = 4,
  missing = 5,
  cell_error = 6,
  incomparable = 7,
  not_ready = 8,
  skipped = 77,
  interrupted = 130,
};

struct ExitCodeRow {
  ExitCode code;
  std::string_view name;
  std::string_view meaning;
};

/// The whole table, in numeric order; help and documents are generated from it.
std::span<const ExitCodeRow> exit_codes();

constexpr int to_int(ExitCode code) { return static_cast<int>(code); }

/// The one to report when a run holds several: internal, usage, interrupted, not_ready, cell_error,
/// regression, missing, incomparable, stale_baseline, ok, skipped (worst first).
ExitCode worse(ExitCode a, ExitCode b);

}  // namespace highwater
