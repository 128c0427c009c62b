#include "harness/run/memory_pass.hpp"

#include "harness/core/error.hpp"
#include "harness/measure/operation_trace.hpp"
#include "harness/measure/step_probe.hpp"
#include "harness/run/block_names.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

Bytes total_bytes(const std::vector<at::Tensor>& tensors) {
  Bytes bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<Bytes>(tensor.nbytes());
  return bytes;
}

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

std::vector<at::Tensor> tensors_of(const Batch& batch) {
  std::vector<at::Tensor> tensors = batch.inputs;
  tensors.push_back(batch.targets);
  return tensors;
}

/// The measurement of one workload on one recorder, step by step.
class MemoryPass {
 public:
  MemoryPass(const DeviceSession& session, const Cell& cell, const StepPlan& plan)
      : session_(session),
        recorder_(std::make_shared<AllocationRecorder>(session.device(), &current_origin)),
        guard_(c10::DebugInfoKind::PROFILER_STATE, recorder_),
        meter_(session.meter(*recorder_)),
        second_meter_(session.second_meter(plan.devices)),
        probe_(*meter_, *recorder_),
        names_(*recorder_),
        start_(meter_->current().allocated),
        workload_(make_workload(cell, session.device(), plan, &probe_)) {
    probe_.on_backward_end([this] { note_gradients(); });
  }

  MemoryResult run(const Protocol& protocol) {
    warm_up(protocol.warmup_steps);
    for (int i = 1; i < protocol.measured_steps; ++i) window_.push_back(step());
    recorder_->start_log();
    names_.add_replaced(workload_);
    window_.push_back(step());
    attribute(recorder_->stop_log());
    note_sizes();
    note_peaks();
    tear_down();
    return result_;
  }

 private:
  StepReading step() {
    probe_.begin_step();
    if (second_meter_) second_meter_->reset_peak();
    workload_.runner->step(workload_.batch);
    session_.synchronize();
    return probe_.end_step();
  }

  void warm_up(int steps) {
    set("first_step_peak_allocated_bytes", step().peak.allocated);
    set("second_step_peak_allocated_bytes", step().peak.allocated);
    while (workload_.runner->updates() < steps) update(workload_, [this] { step(); });
  }

  void attribute(const AllocationLog& log) {
    names_.add_lasting(workload_);
    set("workspaces_bytes", names_.add_workspaces(session_));
    const PeakAttribution peak = attribute_peak(log, names_.categories());
    if (peak.peak != window_.back().peak.allocated) {
      throw InternalError("the recorder saw a peak of " + std::to_string(peak.peak) +
                          " B, the allocator one of " +
                          std::to_string(window_.back().peak.allocated) + " B");
    }
    for (std::size_t i = 0; i < kCategoryNames.size(); ++i) {
      set("at_peak_" + std::string(kCategoryNames[i]) + "_bytes", peak.by_category[i]);
    }
    result_.attributes["peak_phase"] = peak.phase ? to_text(*peak.phase) : "between phases";
    result_.profile = profile_of(peak, log, names_);
  }

  void note_gradients() {
    names_.add_gradients(workload_);
    set("gradients_bytes", total_bytes(gradients_of(workload_.runner->parameters())));
  }

  std::vector<at::Tensor> on_device(std::vector<at::Tensor> tensors) const {
    const c10::DeviceType here = session_.device().type();
    std::erase_if(tensors, [here](const at::Tensor& t) { return t.device().type() != here; });
    return tensors;
  }

  void note_sizes() {
    set("parameters_bytes", total_bytes(workload_.model->parameters()));
    // Of a plan that does not train there is no backward to read them after.
    result_.metrics.emplace("gradients_bytes", 0);
    set("optimizer_state_bytes", total_bytes(on_device(workload_.runner->state_tensors())));
    set("buffers_bytes", total_bytes(workload_.model->buffers()));
    set("inputs_bytes", total_bytes(tensors_of(workload_.batch)));
    if (const auto* buckets = workload_.runner->buckets()) {
      set("gradient_buckets_bytes", buckets->bytes());
    }
    set_if("oom_retries", workload_.runner->oom_retries());
    set_if("replica_bytes", workload_.runner->replica_bytes());
    if (const auto retries = meter_->alloc_retries()) {
      set("alloc_retries", *retries);
      result_.attributes["touched_capacity"] = *retries > 0 ? "true" : "false";
    }
  }

  void note_peaks() {
    const StepReading& last = window_.back();
    bool steady = true;
    for (const StepReading& reading : window_) {
      steady = steady && reading.peak == last.peak;
    }
    result_.attributes["steady"] = steady ? "true" : "false";
    set("peak_allocated_bytes", last.peak.allocated);
    set("peak_requested_bytes", last.peak.requested);
    if (last.peak.active) set("peak_active_bytes", *last.peak.active);
    if (last.peak.reserved) {
      set("peak_reserved_bytes", *last.peak.reserved);
      set("fragmentation_bytes", *last.rest.reserved - last.rest.allocated);
    }
    for (std::size_t i = 0; i < kPhaseNames.size(); ++i) {
      set(std::string(kPhaseNames[i]) + "_peak_allocated_bytes", last.phase_peak_allocated[i]);
    }
    note_second_device(last.peak.allocated);
    set("rest_allocated_bytes", last.rest.allocated);
    set("leak_bytes", last.rest.allocated - window_.front().rest.allocated);
    set("activations_after_forward_bytes", last.activations_requested);
    set("optimizer_temporary_bytes", last.optimizer_temporaries);
  }

  void note_second_device(Bytes first_peak) {
    if (!second_meter_) return;
    const Bytes second_peak = second_meter_->peak().allocated;
    set("second_device_peak_allocated_bytes", second_peak);
    set("device_skew_bytes", first_peak - second_peak);
  }

  void tear_down() {
    workload_ = {};
    session_.release_caches();
    set("teardown_bytes", meter_->current().allocated - start_);
  }

  void set(const std::string& metric, std::int64_t value) { result_.metrics[metric] = value; }

  void set_if(const std::string& metric, std::optional<std::int64_t> value) {
    if (value) set(metric, *value);
  }

  const DeviceSession& session_;
  OperationTrace trace_;
  std::shared_ptr<AllocationRecorder> recorder_;
  c10::DebugInfoGuard guard_;
  std::unique_ptr<MemoryMeter> meter_;
  std::unique_ptr<MemoryMeter> second_meter_;  ///< null where one device is used
  StepProbe probe_;
  BlockNames names_;
  Bytes start_;
  Workload workload_;
  std::vector<StepReading> window_;
  MemoryResult result_;
};

}  // namespace

MemoryResult measure_memory(const DeviceSession& session, const Cell& cell, const StepPlan& plan,
                            const Protocol& protocol) {
  return MemoryPass(session, cell, plan).run(protocol);
}

}  // namespace highwater
