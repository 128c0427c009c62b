#include "harness/run/inspect_pass.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <regex>

#include "harness/core/error.hpp"
#include "harness/measure/allocator_state.hpp"
#include "harness/measure/operation_trace.hpp"
#include "harness/run/workload_factory.hpp"
#include "harness/run/workspace_blocks.hpp"

namespace highwater {
namespace {

/// The same model, each segment and the loss of which is a module scope.
class ScopedModel final : public Model {
 public:
  explicit ScopedModel(std::shared_ptr<Model> model) : model_(std::move(model)) {
    register_module("model", model_);
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = model_->segments();
    for (Segment& segment : segments) {
      segment.run = [name = segment.name, run = std::move(segment.run)](const Tensors& tensors) {
        const ModuleScope scope(name);
        return run(tensors);
      };
    }
    return segments;
  }
  Batch example_batch() override { return model_->example_batch(); }
  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    const ModuleScope scope("loss");
    return model_->loss(outputs, batch);
  }
  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    return model_->predict_activations(plan);
  }

 private:
  std::shared_ptr<Model> model_;
};

/// "block0.qkv.weight" -> "block.0.qkv": the module's path, spelled as segments are.
std::string module_path(const std::string& tensor_name) {
  static const std::regex numbered("([a-z])([0-9]+)(?=\\.)");
  const std::string path = std::regex_replace(tensor_name, numbered, "$1.$2");
  return path.substr(0, std::min(path.rfind('.'), path.size()));
}

class InspectPass final : public PhaseObserver {
 public:
  InspectPass(const DeviceSession& session, const Cell& cell, const StepPlan& plan)
      : session_(session),
        recorder_(std::make_shared<AllocationRecorder>(session.device(), &current_origin)),
        guard_(c10::DebugInfoKind::PROFILER_STATE, recorder_),
        meter_(session.meter(*recorder_)),
        workload_(make_workload(cell, session.device(), plan)) {
    workload_.runner = nullptr;
    workload_.runner =
        std::make_unique<StepRunner>(std::make_shared<ScopedModel>(workload_.model), plan, this);
  }

  Inspection run(const Protocol& protocol) {
    while (workload_.runner->updates() < protocol.warmup_steps) {
      update(workload_, [this] { step(); });
    }
    for (int i = 1; i < protocol.measured_steps; ++i) step();
    meter_->reset_peak();
    recorder_->start_log();
    step();
    log_ = recorder_->stop_log();
    note_device();
    name_tensors();
    note_peak();
    return std::move(inspection_);
  }

  void phase_begins(Phase phase) override { recorder_->begin_interval(phase); }
  void phase_ends(Phase phase) override {
    recorder_->begin_interval(std::nullopt);
    if (phase == Phase::backward) name_gradients();
  }

 private:
  void step() {
    workload_.runner->step(workload_.batch);
    session_.synchronize();
  }

  void name(const at::Tensor& tensor, Category category, const std::string& module) {
    if (!tensor.defined()) return;
    const auto block = recorder_->block_at(tensor.storage().data());
    if (!block) return;
    categories_.emplace(*block, category);
    modules_.emplace(*block, module);
  }

  void name_gradients() {
    for (const auto& parameter : workload_.model->named_parameters()) {
      name(parameter.value().grad(), Category::gradients, module_path(parameter.key()));
    }
  }

  void name_tensors() {
    for (const auto& parameter : workload_.model->named_parameters()) {
      name(parameter.value(), Category::parameters, module_path(parameter.key()));
    }
    for (const at::Tensor& tensor : workload_.runner->state_tensors()) {
      name(tensor, Category::optimizer_state, "optimizer");
    }
    for (const auto& buffer : workload_.model->named_buffers()) {
      name(buffer.value(), Category::buffers, module_path(buffer.key()));
    }
    for (const at::Tensor& tensor : workload_.batch.inputs) name(tensor, Category::inputs, "batch");
    name(workload_.batch.targets, Category::inputs, "batch");
    for (const auto& [block, size] : clear_workspace_blocks(session_, *recorder_)) {
      categories_.emplace(block, Category::workspaces);
      modules_.emplace(block, "workspaces");
    }
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
    const PeakAttribution peak = attribute_peak(log_, categories_);
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
            .module = module_of(block),
            .op = origin == log_.origins.end() ? "" : origin->second.op,
            .born = block.born ? std::string(to_text(*block.born)) : "before"};
  }

  std::string module_of(const BlockAtPeak& block) const {
    if (const auto named = modules_.find(block.block); named != modules_.end()) {
      return named->second;
    }
    const auto origin = log_.origins.find(block.block);
    if (origin != log_.origins.end() && !origin->second.module.empty()) {
      return origin->second.module;
    }
    return block.born ? std::string(to_text(*block.born)) : kUnattributed;
  }

  const DeviceSession& session_;
  std::shared_ptr<AllocationRecorder> recorder_;
  c10::DebugInfoGuard guard_;
  std::unique_ptr<MemoryMeter> meter_;
  Workload workload_;
  std::unordered_map<BlockId, Category> categories_;
  std::unordered_map<BlockId, std::string> modules_;
  AllocationLog log_;
  Bytes allocator_peak_ = 0;
  Inspection inspection_;
};

}  // namespace

Inspection inspect_cell(const Cell& cell, const Protocol& protocol) {
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const DeviceSession session(cell.device, plan.allocator_settings);
  trace_operations();
  try {
    return InspectPass(session, cell, plan).run(protocol);
  } catch (const c10::OutOfMemoryError& error) {
    throw Error(ExitCode::cell_error,
                std::string("out of memory: ") + error.what_without_backtrace());
  }
}

}  // namespace highwater
