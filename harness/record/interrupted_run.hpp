#pragma once

#include <filesystem>
#include <vector>

#include "harness/record/record.hpp"

namespace highwater {

/// What an interrupted run set out to do, and what of it is left.
struct InterruptedRun {
  RunHeader header;
  std::vector<Cell> left;  ///< planned cells without a row, in planned order; may be none
};

/// Reads a run that did not reach its end, and changes nothing. A run has reached it when every
/// planned cell has its row and its report is written.
/// @throws UsageError where the folder holds no run, the run is complete, its header does not say
/// what was planned, or names a cell twice or one that no reader would take, or a row was not
/// planned.
InterruptedRun read_interrupted(const std::filesystem::path& folder);

/// Brings the records of such a run into planned order, each finished row byte for byte as it is,
/// and drops a half-written last line. The old file stays until the new one is complete.
/// @throws as read_run, and UsageError where the file cannot be written.
void arrange_records(const std::filesystem::path& folder);

}  // namespace highwater
