#pragma once

#include <map>
#include <string>

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/measure/measurement.hpp"
#include "harness/measure/peak_profile.hpp"
#include "harness/run/device_session.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

struct MemoryResult {
  Measurement metrics;
  std::map<std::string, std::string> attributes;  ///< peak_phase, steady, touched_capacity
  PeakProfile profile;                            ///< of the last measured step; sums to its peak
};

/// Measures the bytes of one cell: warm-up, measured steps, attribution of the last one's peak,
/// teardown. The window opens after warm-up and closes before anything is dropped.
/// @throws InternalError where the recorder and the allocator disagree about the peak.
MemoryResult measure_memory(const DeviceSession& session, const Cell& cell, const StepPlan& plan,
                            const Protocol& protocol);

}  // namespace highwater
