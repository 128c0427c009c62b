#pragma once

#include <string>

#include "harness/record/record.hpp"

namespace highwater {

/// The metrics of a cell as CTest reads them from a test's output and sends them to a dashboard,
/// one <CTestMeasurement> a line, sorted by name; empty where there is no record.
/// @param record may be nullptr.
std::string ctest_measurements(const CellRecord* record);

}  // namespace highwater
