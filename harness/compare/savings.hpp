#pragma once

#include <optional>

#include "harness/compare/verdict.hpp"

namespace highwater {

/// Whether the cell keeps its technique's promise, measured against the cell of technique
/// `baseline` with the same other fields in the same run: nullopt where nothing is promised, else a
/// line of kind unchanged, regressed (saves less) or missing (no such cell was measured), with a
/// sentence.
std::optional<MetricLine> check_promise(const CellRecord& record, const RunRecord& run);

/// The cell it is held against.
Cell baseline_cell_of(const Cell& cell);

}  // namespace highwater
