#pragma once

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/measure/measurement.hpp"
#include "harness/run/device_session.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// Median and median absolute deviation of the time of a step, each step synchronised before and
/// after, with nothing recorded. Values of the metrics step_time_nanoseconds and
/// step_time_mad_nanoseconds.
Measurement measure_time(const DeviceSession& session, const Cell& cell, const StepPlan& plan,
                         const Protocol& protocol);

}  // namespace highwater
