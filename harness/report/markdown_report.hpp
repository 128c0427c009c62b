#pragma once

#include <span>
#include <string>

#include "harness/compare/verdict.hpp"
#include "harness/config/suite_config.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// report.md: where it was measured, what "peak" means, the trade-off tables, closed forms beside
/// measurements, what the numerics checks saw, how to read a verdict. A pure function of its
/// arguments.
/// @param published numbers of the run's suite, or none.
std::string markdown_report(const RunRecord& run, std::span<const Verdict> verdicts,
                            std::span<const PublishedNumber> published = {});

}  // namespace highwater
