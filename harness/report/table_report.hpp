#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/compare/verdict.hpp"
#include "harness/record/record.hpp"
#include "harness/report/table.hpp"

namespace highwater {

/// The trade-off tables of a run: one per model, preset and device, one row per technique, with the
/// peak, its change against technique `baseline` of the same run, what it cost, and the verdict.
/// Skipped cells have no row: a note under the table has their reason. A reason that several rows
/// share stands there too. A pure function of its arguments. Numbers of different devices never
/// share a row, but for the numerics of a simulated cell, which are those of the same technique's
/// cpu cell and say so.
std::vector<Table> tradeoff_tables(const RunRecord& run, std::span<const Verdict> verdicts);

/// Median step time for people: "12.3 ms"; "-" where there is none.
std::string step_time_text(const CellOutcome& outcome);

/// The tables as one text for a terminal. With `colour`, a row's line is red or green by its
/// verdict.
std::string console_text(const RunRecord& run, std::span<const Verdict> verdicts, bool colour);

}  // namespace highwater
