#include "harness/run/cell_runner.hpp"

#include <c10/util/Exception.h>

#include "harness/core/error.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/numerics_pass.hpp"
#include "harness/run/time_pass.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

std::optional<Promise> first_promise(const std::vector<TechniqueDeclaration>& techniques,
                                     const StepPlan& plan, const Measurement& baseline) {
  for (const TechniqueDeclaration& technique : techniques) {
    if (!technique.promise) continue;
    if (auto promise = technique.promise(plan, baseline)) return promise;
  }
  return std::nullopt;
}

/// Closed forms need a model but no memory of the device: its tensors are dropped at once.
void predict_cell(const DeviceSession& session, const Cell& cell,
                  const std::vector<TechniqueDeclaration>& techniques, CellOutcome& outcome) {
  const StepPlan plan = make_plan(techniques);
  const auto model = make_workload(cell, session.device(), plan).model;
  outcome.prediction = predict(*model, plan);
  outcome.promise = first_promise(techniques, plan, predict(*model, StepPlan{}));
}

CellOutcome measure_cell(const Cell& cell, const Protocol& protocol) {
  const DeviceSession session(cell.device);
  const std::vector<TechniqueDeclaration> techniques = parse_techniques(cell.technique);
  const StepPlan plan = make_plan(techniques);

  CellOutcome outcome{.kind = OutcomeKind::measured};
  auto [metrics, attributes] = measure_memory(session, cell, plan, protocol);
  outcome.metrics = std::move(metrics);
  outcome.attributes = std::move(attributes);
  predict_cell(session, cell, techniques, outcome);
  if (session.has_time()) outcome.metrics.merge(measure_time(session, cell, plan, protocol));
  if (session.is_cpu()) {
    outcome.numerics = check_numerics(session, cell, techniques, protocol);
    if (outcome.numerics->verdict == "wrong") {
      outcome.kind = OutcomeKind::incorrect;
      outcome.reason = outcome.numerics->detail;
    }
  }
  return outcome;
}

std::string out_of_memory_reason() {
  const OutOfMemoryReport report = last_out_of_memory();
  return "wanted " + format_bytes(report.wanted) + ", free " + format_bytes(report.free) +
         ", capacity " + format_bytes(report.total);
}

/// The CPU allocator throws a plain c10::Error; only its text tells.
bool is_host_out_of_memory(const c10::Error& error) {
  return std::string_view(error.what()).find("DefaultCPUAllocator: can't allocate memory") !=
         std::string_view::npos;
}

}  // namespace

CellOutcome run_cell(const Cell& cell, const Protocol& protocol) {
  try {
    return measure_cell(cell, protocol);
  } catch (const c10::OutOfMemoryError&) {
    return {.kind = OutcomeKind::out_of_memory, .reason = out_of_memory_reason()};
  } catch (const c10::Error& error) {
    const OutcomeKind kind =
        is_host_out_of_memory(error) ? OutcomeKind::out_of_memory : OutcomeKind::failed;
    return {.kind = kind, .reason = error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {.kind = OutcomeKind::failed, .reason = error.what()};
  }
}

}  // namespace highwater
