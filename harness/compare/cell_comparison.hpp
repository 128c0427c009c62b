#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/compare/verdict.hpp"
#include "harness/measure/metric.hpp"

namespace highwater {

/// Accepted rows of one cell, by metric.
using AcceptedRows = std::map<std::string, BaselineRow>;

/// Values of a cell that the gate holds: gated metrics of a measured outcome.
std::map<std::string, Ends> gated_values(const CellRecord& record);

/// Value against baseline, two-sided: within the tolerance unchanged, below it improved, above it
/// regressed. Outside the tolerance a noisy metric is ambiguous, because one run cannot tell.
VerdictKind compare_values(const Metric& metric, std::int64_t tolerance, std::int64_t baseline,
                           std::int64_t value);

/// Every gated metric of a measured cell against its accepted value and its anchor: the low end
/// decides, the high end warns. Then its leak, which is wrong even where a leaking baseline was
/// accepted, and its techniques' promises.
std::vector<MetricLine> compare_cell(const CellRecord& record, const RunRecord& run,
                                     const AcceptedRows& rows);

/// The verdict that lines call for: the heaviest decide, and only they are explained. Where one of
/// them is broken, only a repair helps; where one is beyond its anchor, only a new one.
Verdict conclude(std::string cell, std::vector<MetricLine> lines);

}  // namespace highwater
