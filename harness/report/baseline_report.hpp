#pragma once

#include <span>
#include <string>

#include "harness/compare/accept.hpp"
#include "harness/compare/verdict.hpp"
#include "harness/record/row_history.hpp"
#include "harness/report/table.hpp"

namespace highwater {

/// Rows that an acceptance moves, before and after, with their anchors.
Table acceptance_table(const Acceptance& acceptance);

/// Changes of a cell's rows, one a line.
Table history_table(std::span<const RowChange> changes);

/// The rows of a cell as they stand, of every testbed.
Table current_rows_table(const Baselines& baselines, const std::string& cell);

}  // namespace highwater
