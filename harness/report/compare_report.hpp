#pragma once

#include <span>
#include <string>

#include "harness/compare/verdict.hpp"
#include "harness/record/record.hpp"
#include "harness/report/table.hpp"

namespace highwater {

/// Peaks of two runs, one row per cell of either, the worst first: by the weight of the verdict,
/// then by how much the peak grew. Verdicts are those of `after` held against `before`. Where a
/// peak moved, a column of bars shows by how many percent, less to the left and more to the right;
/// a note says what a full one means.
Table compare_table(const RunRecord& before, const RunRecord& after,
                    std::span<const Verdict> verdicts);

/// A bar of 17 characters around a middle line. @param share of the longest one, -1 to 1; whatever
/// is not 0 is seen.
std::string change_bar(double share);

}  // namespace highwater
