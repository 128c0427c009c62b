#include "harness/run/workload_factory.hpp"

#include "harness/core/error.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {
namespace {

/// As Python's Module.to(dtype). LibTorch's own converts integer buffers too: a step counter in
/// fp16 stands still at 2048, and an index table no longer indexes.
void convert(Workload& workload, at::ScalarType dtype) {
  std::vector<at::Tensor> tensors = workload.model->parameters();
  for (const at::Tensor& buffer : workload.model->buffers()) tensors.push_back(buffer);
  for (at::Tensor& tensor : tensors) {
    if (tensor.is_floating_point()) tensor.set_data(tensor.to(dtype));
  }
  for (at::Tensor& input : workload.batch.inputs) {
    if (input.is_floating_point()) input = input.to(dtype);
  }
}

/// What Python's `to(memory_format=torch.channels_last)` does to a model and its images.
void lay_out_channels_last(Workload& workload) {
  for (const at::Tensor& parameter : workload.model->parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
  }
  for (at::Tensor& input : workload.batch.inputs) {
    if (input.dim() == 4) input = input.contiguous(at::MemoryFormat::ChannelsLast);
  }
}

/// One model for each further device; on the cpu all share the one.
std::vector<std::shared_ptr<Model>> make_replicas(const Cell& cell, ModelOptions options,
                                                  std::int64_t devices) {
  std::vector<std::shared_ptr<Model>> replicas;
  for (std::int64_t i = 1; i < devices; ++i) {
    if (!options.device.is_cpu()) options.device.set_index(static_cast<c10::DeviceIndex>(i));
    replicas.push_back(make_model(cell.model, options));
  }
  return replicas;
}

/// Fewer parts than planned would be another technique than the one asked for.
void check_parts(const StepPlan& plan, std::int64_t batch) {
  const std::int64_t parts = plan.micro_batches * plan.devices;
  if (parts <= batch) return;
  throw InapplicableError("a batch of " + std::to_string(batch) + " cannot be split into " +
                          std::to_string(parts) + " parts");
}

}  // namespace

Workload make_workload(const Cell& cell, at::Device device, const StepPlan& plan,
                       PhaseObserver* observer, std::optional<double> dropout) {
  seed_generators(device, kSeed);
  Workload workload;
  const ModelOptions options = {.preset = cell.preset,
                                .device = device,
                                .batch = cell.batch,
                                .dropout = dropout,
                                .variant = plan.variant};
  workload.model = make_model(cell.model, options);
  workload.batch = workload.model->example_batch();
  check_parts(plan, workload.batch.size());
  if (plan.dtype != at::kFloat) convert(workload, plan.dtype);
  if (plan.variant.channels_last) lay_out_channels_last(workload);
  if (plan.batch_transfer != BatchTransfer::resident) {
    workload.batch = in_pinned_memory(workload.batch);
  }
  workload.runner = std::make_unique<StepRunner>(workload.model, plan, observer,
                                                 make_replicas(cell, options, plan.devices));
  return workload;
}

void update(const Workload& workload, const std::function<void()>& step) {
  constexpr int kMaxSkippedSteps = 24;
  const std::int64_t before = workload.runner->updates();
  for (int i = 0; i < kMaxSkippedSteps; ++i) {
    step();
    if (workload.runner->updates() > before) return;
  }
  throw InternalError("the optimizer did not step in " + std::to_string(kMaxSkippedSteps) +
                      " tries: gradients are not finite");
}

}  // namespace highwater
