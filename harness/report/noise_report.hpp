#pragma once

#include <span>
#include <vector>

#include "harness/compare/noise.hpp"
#include "harness/compare/time_comparison.hpp"
#include "harness/report/table.hpp"

namespace highwater {

/// A table of exact metrics, one row per device kind and metric, and one of noisy ones, each only
/// where there are any; failures stand as notes under the last. A study of nothing is one sentence.
std::vector<Table> noise_tables(const Repeats& repeats);

/// One row per cell that both studies timed.
Table time_table(std::span<const TimeComparison> comparisons);

}  // namespace highwater
