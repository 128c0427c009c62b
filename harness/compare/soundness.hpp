#pragma once

#include <cstdint>
#include <string>

#include "harness/compare/verdict.hpp"

namespace highwater {

/// Bytes that the measured steps left behind; 0 where there are none, or no step was measured.
std::int64_t leaked_bytes(const CellOutcome& outcome);

/// Whether a technique of the cell says that it leaks: a fault that people make, measured.
bool leaks_by_design(const CellOutcome& outcome);

/// Whether the measured steps agreed to the byte. Steps that leak do not, and the leak is why.
bool is_steady(const CellOutcome& outcome);

/// Why no number of this cell is worth holding anyone to; empty where they are: it was not
/// measured, is unsteady, leaks, or breaks a promise in its run.
std::string unsoundness(const CellRecord& record, const RunRecord& run);

}  // namespace highwater
