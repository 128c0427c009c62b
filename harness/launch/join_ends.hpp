#pragma once

#include "harness/run/outcome.hpp"

namespace highwater {

/// One outcome out of two runs of the same cell: with the lowest sizes where only a real device
/// knows them, and with the highest. `low` is bounded and measured. Its numbers are exact after all
/// where no number differs. What became of the high run is the outcome where that is anything but
/// measured: whether the cell works is not known then.
CellOutcome join_ends(CellOutcome low, CellOutcome high);

}  // namespace highwater
