#include "harness/run/event_pass.hpp"

#include <c10/util/ThreadLocalDebugInfo.h>

#include "harness/measure/event_recorder.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

/// Tells the recorder where in the loop it is.
class Marks final : public PhaseObserver {
 public:
  void step_begins(int step) { mark_recorded_events(step_ = step, std::nullopt); }
  void phase_begins(Phase phase) override { mark_recorded_events(step_, phase); }
  void phase_ends(Phase) override { mark_recorded_events(step_, std::nullopt); }

 private:
  int step_ = 0;
};

/// What is told while the cell trains; the workload lives until then, so that what it holds is
/// still there for the segments.
EventStream train(const Cell& cell, const Protocol& protocol, const DeviceSession& session,
                  const StepPlan& plan) {
  Marks marks;
  const Workload workload = make_workload(cell, session.device(), plan, &marks);
  for (int step = 1; step <= protocol.warmup_steps + protocol.measured_steps; ++step) {
    marks.step_begins(step);
    workload.runner->step(workload.batch);
    session.synchronize();
  }
  return {.events = recorded_events(),
          .driver = {},
          .segments = session.is_cpu() ? held_cpu_segments() : held_segments()};
}

EventStream train_on_gpu(const Cell& cell, const Protocol& protocol, const DeviceSession& session,
                         const StepPlan& plan) {
  start_recording_events();
  const DriverFree before = cuda_free_memory(session.device().index());
  EventStream stream = train(cell, protocol, session, plan);
  // What the segments say is not freed with the workload: the driver sees segments, not tensors.
  const DriverFree after = cuda_free_memory(session.device().index());
  stream.driver = {
      .total = before.total, .free_with_context = before.free, .free_at_end = after.free};
  return stream;
}

}  // namespace

EventStream record_events(const Cell& cell, const Protocol& protocol) {
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const DeviceSession session(cell.device, plan.allocator_settings);
  if (!session.is_cpu()) return train_on_gpu(cell, protocol, session, plan);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, cpu_event_listener());
  return train(cell, protocol, session, plan);
}

}  // namespace highwater
