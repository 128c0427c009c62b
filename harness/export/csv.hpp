#pragma once

#include <string>

#include "harness/export/export_format.hpp"

namespace highwater {

/// RFC 4180 with a header line: a row for each cell, also for those that the run should hold and
/// does not. Columns are the same for every run: cell id, verdict and its explanation, the cell's
/// fields, outcome, reason, certainty, numerics, then every metric of the metric table with its
/// unit in the name, then `<metric>_high`, filled where a bounded metric has another value at the
/// high end. An empty field is a value that does not exist.
std::string csv_text(const ExportInput& input);

}  // namespace highwater
