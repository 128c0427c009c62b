#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/compare/verdict.hpp"
#include "harness/config/budget_file.hpp"

namespace highwater {

/// One regressed line, with a sentence, for each budget that the cell matches and exceeds by its
/// peak_allocated_bytes. Of a bounded number the larger end counts: a budget must hold for sure.
std::vector<MetricLine> check_budgets(const CellRecord& record, std::span<const Budget> budgets);

/// @throws UsageError "file:line: ..." on the first glob that matches none of these cells, with
/// what is near: such a budget would hold nothing.
void check_globs(std::span<const Budget> budgets, const std::vector<std::string>& cells);

/// Ids that a budget may speak of: a run's own cells, and what any testbed's baselines of the suite
/// hold, because a budget for one card stays right on a machine with another.
std::vector<std::string> cells_of_suite(std::vector<std::string> own, const Baselines& baselines);

}  // namespace highwater
