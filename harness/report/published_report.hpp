#pragma once

#include <span>

#include "harness/config/suite_config.hpp"
#include "harness/record/record.hpp"
#include "harness/report/table.hpp"

namespace highwater {

/// Published numbers beside what closed forms predict and what the run measured, one row each; the
/// bytes outside the allocator that a source counts are added to both. A cell that the run lacks,
/// or that was not measured, has its reason in place of a number.
/// @throws UsageError on a metric that does not exist.
Table published_table(const RunRecord& run, std::span<const PublishedNumber> numbers);

}  // namespace highwater
