#pragma once

#include <optional>

#include "harness/compare/verdict.hpp"

namespace highwater {

/// Whether the cell keeps its technique's promise, measured against the cell of technique
/// `baseline` with the same other fields in the same run: a line of kind unchanged, regressed
/// (saves less) or missing (the cell lacks the promised metric), with a sentence. nullopt where
/// nothing is promised, and where that other cell was not measured: its own verdict then says so.
std::optional<MetricLine> check_promise(const CellRecord& record, const RunRecord& run);

/// The cell it is held against.
Cell baseline_cell_of(const Cell& cell);

}  // namespace highwater
