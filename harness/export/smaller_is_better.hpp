#pragma once

#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// The array that github-action-benchmark reads with tool customSmallerIsBetter
/// (github.com/benchmark-action/github-action-benchmark, README and BenchmarkResult in
/// src/extract.ts): name, unit, value, extra, and range where a value is bounded. One entry for
/// each gated metric of a measured cell: that tool alerts on whatever grows, and informative
/// metrics may. `range` is the high end; `extra` says verdict, certainty and phase of the peak. The
/// tool refuses an empty array, so a run that measured nothing does not pass.
std::string smaller_is_better_json(const ExportInput& input);

}  // namespace highwater
