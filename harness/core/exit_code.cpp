#include "harness/core/exit_code.hpp"

#include <algorithm>
#include <array>

namespace highwater {
namespace {

using enum ExitCode;

constexpr std::array kTable = {
    ExitCodeRow{ok, "ok", "everything measured and as expected"},
    ExitCodeRow{internal, "internal", "a fault of this program"},
    ExitCodeRow{usage, "usage", "wrong arguments, configuration or input files"},
    ExitCodeRow{regression, "regression",
                "a cell needs more memory than its baseline, or leaks, or "
                "saves less than its technique promises"},
    ExitCodeRow{stale_baseline, "stale_baseline", "a cell improved: accept a new baseline"},
    ExitCodeRow{missing, "missing", "a baseline row was not measured, or a cell has no baseline"},
    ExitCodeRow{cell_error, "cell_error",
                "a cell failed, was incorrect, unsteady, timed out or ran out of memory"},
    ExitCodeRow{incomparable, "incomparable", "the baseline belongs to another testbed"},
    ExitCodeRow{not_ready, "not_ready", "this machine lacks something that the simulation needs"},
    ExitCodeRow{skipped, "skipped",
                "nothing to do here: every cell was skipped, for stated reasons"},
    ExitCodeRow{interrupted, "interrupted", "stopped by Ctrl-C or a termination request"},
};

constexpr std::array kWorstFirst = {internal,       usage,      interrupted, not_ready,
                                    cell_error,     regression, missing,     incomparable,
                                    stale_baseline, ok,         skipped};

}  // namespace

std::span<const ExitCodeRow> exit_codes() { return kTable; }

ExitCode worse(ExitCode a, ExitCode b) {
  return std::ranges::find(kWorstFirst, a) <= std::ranges::find(kWorstFirst, b) ? a : b;
}

}  // namespace highwater
