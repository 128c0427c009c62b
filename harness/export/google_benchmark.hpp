#pragma once

#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// Google Benchmark's JSON (github.com/google/benchmark, src/json_reporter.cc of 1.7.1): one
/// benchmark a cell, named by its id alone, without the suffixes that Google Benchmark adds.
/// Metrics are counters, `<metric>_high` is the high end of a bounded one. real_time is the median
/// step time in ns, 0 where no step was timed; cpu_time is always 0. A cell that was not measured
/// is an error with its outcome and reason and has no counters. All numbers are whole, so none is
/// infinite or NaN. The context holds what the record does: facts of the machine it does not know
/// are left out.
std::string google_benchmark_json(const ExportInput& input);

}  // namespace highwater
