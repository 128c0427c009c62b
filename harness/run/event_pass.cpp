#include "harness/run/event_pass.hpp"

#include "harness/core/error.hpp"
#include "harness/measure/event_recorder.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {

EventStream record_events(const Cell& cell, const Protocol& protocol) {
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const DeviceSession session(cell.device, plan.allocator_settings);
  if (session.is_cpu()) {
    throw UsageError("the CPU has no caching allocator: events need sim:<profile> or cuda");
  }
  start_recording_events();
  const DriverFree before = cuda_free_memory(session.device().index());
  const Workload workload = make_workload(cell, session.device(), plan);
  for (int step = 0; step < protocol.warmup_steps + protocol.measured_steps; ++step) {
    workload.runner->step(workload.batch);
    session.synchronize();
  }
  const DriverFree after = cuda_free_memory(session.device().index());
  return {.events = recorded_events(),
          .driver = {
              .total = before.total, .free_with_context = before.free, .free_at_end = after.free}};
}

}  // namespace highwater
