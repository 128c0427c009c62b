#include "harness/run/inspect_pass.hpp"

#include <c10/util/Exception.h>

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/measure/allocator_state.hpp"
#include "harness/measure/operation_trace.hpp"
#include "harness/run/block_names.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

class InspectPass final : public PhaseObserver {
 public:
  InspectPass(const DeviceSession& session, const Cell& cell, const StepPlan& plan)
      : session_(session),
        recorder_(std::make_shared<AllocationRecorder>(session.device(), &current_origin)),
        guard_(c10::DebugInfoKind::PROFILER_STATE, recorder_),
        meter_(session.meter(*recorder_)),
        names_(*recorder_),
        workload_(make_workload(cell, session.device(), plan, this)) {}

  Inspection run(const Protocol& protocol) {
    while (workload_.runner->updates() < protocol.warmup_steps) {
      update(workload_, [this] { step(); });
    }
    for (int i = 1; i < protocol.measured_steps; ++i) step();
    meter_->reset_peak();
    recorder_->start_log();
    names_.add_replaced(workload_);
    step();
    log_ = recorder_->stop_log();
    note_device();
    names_.add_lasting(workload_);
    names_.add_workspaces(session_);
    note_peak();
    return std::move(inspection_);
  }

  void phase_begins(Phase phase) override { recorder_->begin_interval(phase); }
  void phase_ends(Phase phase) override {
    recorder_->begin_interval(std::nullopt);
    if (phase == Phase::backward) names_.add_gradients(workload_);
  }

 private:
  void step() {
    workload_.runner->step(workload_.batch);
    session_.synchronize();
  }

  /// Before workspaces are cleared.
  void note_device() {
    inspection_.certainty = to_text(session_.certainty());
    inspection_.rest_bytes = meter_->current().allocated;
    allocator_peak_ = meter_->peak().allocated;
    if (session_.is_cpu()) return;
    inspection_.allocator = allocator_summary(session_.device().index());
    inspection_.fragmentation = fragmentation_at_rest(session_.device().index());
  }

  void note_peak() {
    const PeakAttribution peak = attribute_peak(log_, names_.categories());
    if (peak.peak != allocator_peak_) {
      throw InternalError("the recorder saw a peak of " + std::to_string(peak.peak) +
                          " B, the allocator one of " + std::to_string(allocator_peak_) + " B");
    }
    inspection_.peak_bytes = peak.peak;
    inspection_.peak_phase = peak.phase ? to_text(*peak.phase) : "between phases";
    if (inspection_.fragmentation) {
      inspection_.fragmentation->reserved_at_peak_bytes = peak.reserved;
      inspection_.fragmentation->unused_at_peak_bytes = peak.reserved - peak.peak;
    }
    const auto peaks = phase_peaks(log_);
    for (std::size_t i = 0; i < peaks.size(); ++i) {
      inspection_.phases.push_back({std::string(kPhaseNames[i]), peaks[i]});
    }
    note_blocks(peak.blocks);
  }

  void note_blocks(const std::vector<BlockAtPeak>& blocks) {
    std::map<std::pair<std::string, Category>, MemoryPart> parts;
    for (const BlockAtPeak& block : blocks) {
      LiveBlock live = describe(block);
      MemoryPart& part = parts[{live.module, block.category}];
      part.module = live.module;
      part.category = live.category;
      part.bytes += live.bytes;
      ++part.blocks;
      inspection_.largest.push_back(std::move(live));
    }
    for (auto& [key, part] : parts) inspection_.parts.push_back(std::move(part));
    std::ranges::stable_sort(inspection_.largest, std::greater{}, &LiveBlock::bytes);
    inspection_.largest.resize(std::min(inspection_.largest.size(), kLargestBlocks));
  }

  LiveBlock describe(const BlockAtPeak& block) const {
    const auto origin = log_.origins.find(block.block);
    return {.bytes = block.size,
            .category = std::string(kCategoryNames[static_cast<std::size_t>(block.category)]),
            .module = names_.module_of(block, log_),
            .op = origin == log_.origins.end() ? "" : origin->second.op,
            .born = block.born ? std::string(to_text(*block.born)) : kBeforeTheStep};
  }

  const DeviceSession& session_;
  OperationTrace trace_;
  std::shared_ptr<AllocationRecorder> recorder_;
  c10::DebugInfoGuard guard_;
  std::unique_ptr<MemoryMeter> meter_;
  BlockNames names_;
  Workload workload_;
  AllocationLog log_;
  Bytes allocator_peak_ = 0;
  Inspection inspection_;
};

}  // namespace

Inspection inspect_cell(const Cell& cell, const Protocol& protocol) {
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const DeviceSession session(cell.device, plan.allocator_settings);
  try {
    return InspectPass(session, cell, plan).run(protocol);
  } catch (const c10::OutOfMemoryError& error) {
    throw Error(ExitCode::cell_error,
                std::string("out of memory: ") + error.what_without_backtrace());
  }
}

}  // namespace highwater
