#pragma once

#include <vector>

#include "harness/compare/verdict.hpp"

namespace highwater {

/// Whether the cell keeps the promises of its techniques, each measured against the cell of
/// technique `baseline` with the same other fields in the same run: one line a promise, of kind
/// unchanged, regressed (saves less) or missing (the cell lacks the promised metric), with a
/// sentence. No line where that other cell was not measured: its own verdict then says so.
std::vector<MetricLine> check_promises(const CellRecord& record, const RunRecord& run);

}  // namespace highwater
