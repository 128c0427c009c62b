#pragma once

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/run/outcome.hpp"

namespace highwater {

/// Runs one cell in this process and says what became of it. Out of memory is caught here, by its
/// type, and nowhere else; every other failure becomes `failed` with its message.
CellOutcome run_cell(const Cell& cell, const Protocol& protocol);

}  // namespace highwater
