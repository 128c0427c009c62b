#pragma once

#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// Bencher Metric Format (bencher.dev/docs/reference/bencher-metric-format): cell id -> measure ->
/// value, for each measured cell. A measure is the metric's id with '-' for '_', which is what a
/// slug may hold. Of a bounded metric `value` is the low end, and lower_value and upper_value are
/// the smaller and the larger of both ends.
std::string bencher_json(const ExportInput& input);

}  // namespace highwater
