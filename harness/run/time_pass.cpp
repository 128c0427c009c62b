#include "harness/run/time_pass.hpp"

#include <chrono>

#include "harness/measure/statistics.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

/// Lazy initialisation, optimizer state and a grown cache belong to the first steps.
constexpr int kUntimedSteps = 2;

}  // namespace

Measurement measure_time(const DeviceSession& session, const Cell& cell, const StepPlan& plan,
                         const Protocol& protocol) {
  using Clock = std::chrono::steady_clock;
  const Workload workload = make_workload(cell, session.device(), plan);
  std::vector<std::int64_t> nanoseconds;
  for (int i = 0; i < kUntimedSteps + protocol.timed_steps; ++i) {
    std::int64_t elapsed = 0;
    // A step whose update a gradient scaler skips is cheaper than a step; it is taken again.
    update(workload, [&] {
      session.synchronize();
      const Clock::time_point start = Clock::now();
      workload.runner->step(workload.batch);
      session.synchronize();
      elapsed = std::chrono::nanoseconds(Clock::now() - start).count();
    });
    if (i >= kUntimedSteps) nanoseconds.push_back(elapsed);
  }
  return {{"step_time_nanoseconds", median(nanoseconds)},
          {"step_time_mad_nanoseconds", median_absolute_deviation(nanoseconds)}};
}

}  // namespace highwater
