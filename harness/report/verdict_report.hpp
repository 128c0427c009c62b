#pragma once

#include <span>
#include <string>

#include "harness/compare/verdict.hpp"

namespace highwater {

/// One line per verdict: its name, the cell, the reason; below it, indented, what moved at the
/// peak.
std::string verdict_lines(std::span<const Verdict> verdicts);

/// What moved at the peak of each cell where that is known, below the cell's id.
std::string growth_text(std::span<const Verdict> verdicts);

}  // namespace highwater
