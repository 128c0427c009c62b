#include "harness/run/time_pass.hpp"

#include <chrono>

#include "harness/measure/statistics.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {

Measurement measure_time(const DeviceSession& session, const Cell& cell, const StepPlan& plan,
                         const Protocol& protocol) {
  using Clock = std::chrono::steady_clock;
  const Workload workload = make_workload(cell, session.device(), plan);
  std::vector<std::int64_t> nanoseconds;
  for (int i = 0; i <= protocol.timed_steps; ++i) {
    session.synchronize();
    const Clock::time_point start = Clock::now();
    workload.runner->step(workload.batch);
    session.synchronize();
    const auto elapsed = Clock::now() - start;
    if (i == 0) continue;  // lazy initialisation, state allocation
    nanoseconds.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
  }
  return {{"step_time_nanoseconds", median(nanoseconds)},
          {"step_time_mad_nanoseconds", median_absolute_deviation(nanoseconds)}};
}

}  // namespace highwater
