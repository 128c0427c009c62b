#include "harness/run/cell_runner.hpp"

#include <c10/util/Exception.h>

#include "harness/core/error.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/numerics_pass.hpp"
#include "harness/run/time_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "harness/workload/out_of_memory.hpp"

namespace highwater {
namespace {

/// Builds the baseline, whose prediction promises rest on, only where somebody promises.
std::vector<Promise> promises_of(const DeviceSession& session, const Cell& cell,
                                 const std::vector<TechniqueDeclaration>& techniques,
                                 const StepPlan& plan) {
  std::vector<Promise> promises;
  const bool moves = std::ranges::any_of(techniques, &TechniqueDeclaration::moves_bytes_elsewhere);
  if (session.is_cpu() && moves) return promises;
  if (std::ranges::none_of(techniques, [](const auto& one) { return bool(one.promise); })) {
    return promises;
  }
  const Measurement baseline =
      predict(*make_workload(cell, session.device(), StepPlan{}).model, StepPlan{});
  for (const TechniqueDeclaration& technique : techniques) {
    if (!technique.promise) continue;
    if (auto promise = technique.promise(plan, baseline)) promises.push_back(*promise);
  }
  return promises;
}

std::string shape_text(const at::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes()) {
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  }
  return text;
}

std::string precision_text(const StepPlan& plan) {
  const std::string own = plan.dtype == at::kFloat ? "fp32" : c10::toString(plan.dtype);
  return plan.autocast ? own + " with " + describe(plan).at("autocast") + " autocast" : own;
}

void describe_workload(const Workload& workload, const StepPlan& plan, CellOutcome& outcome) {
  outcome.attributes["batch"] = shape_text(workload.batch.inputs.at(0));
  outcome.attributes["precision"] = precision_text(plan);
  outcome.prediction = predict(*workload.model, plan);
}

/// What follows from model and plan alone. Of the two models that it builds, one is alive at a
/// time.
void describe_cell(const DeviceSession& session, const Cell& cell,
                   const std::vector<TechniqueDeclaration>& techniques, const StepPlan& plan,
                   CellOutcome& outcome) {
  describe_workload(make_workload(cell, session.device(), plan), plan, outcome);
  outcome.promises = promises_of(session, cell, techniques, plan);
  for (const TechniqueDeclaration& technique : techniques) {
    if (technique.leaks) outcome.attributes["leaks"] = "by design";
    if (technique.numerics == NumericsClass::diverges) {
      outcome.attributes["diverges"] = "by design";
    }
  }
}

void check_devices(const DeviceSession& session, const StepPlan& plan) {
  const std::int64_t there = session.devices_for(plan.devices);
  if (there >= plan.devices) return;
  throw InapplicableError(std::to_string(plan.devices) + " devices are needed, " +
                          std::to_string(there) + (there == 1 ? " is there" : " are there"));
}

CellOutcome measure_cell(const Cell& cell, const Protocol& protocol) {
  const std::vector<TechniqueDeclaration> techniques = parse_techniques(cell.technique);
  const StepPlan plan = make_plan(techniques);
  const DeviceSession session(cell.device, plan.allocator_settings);
  check_devices(session, plan);

  CellOutcome outcome{.kind = OutcomeKind::measured};
  MemoryResult memory = measure_memory(session, cell, plan, protocol);
  outcome.certainty = session.certainty();
  outcome.metrics = std::move(memory.metrics);
  outcome.attributes = std::move(memory.attributes);
  outcome.profile = std::move(memory.profile);
  describe_cell(session, cell, techniques, plan, outcome);
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

}  // namespace

CellOutcome run_cell(const Cell& cell, const Protocol& protocol) {
  try {
    return measure_cell(cell, protocol);
  } catch (const c10::OutOfMemoryError&) {
    return {.kind = OutcomeKind::out_of_memory, .reason = out_of_memory_reason()};
  } catch (const c10::Error& error) {
    const OutcomeKind kind =
        is_out_of_memory(error) ? OutcomeKind::out_of_memory : OutcomeKind::failed;
    return {.kind = kind, .reason = error.what_without_backtrace()};
  } catch (const InapplicableError& error) {
    return {.kind = OutcomeKind::skipped, .reason = error.what()};
  } catch (const std::exception& error) {
    return {.kind = OutcomeKind::failed, .reason = error.what()};
  }
}

}  // namespace highwater
