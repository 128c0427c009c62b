#include "harness/workload/step_runner.hpp"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/variable.h>

#include "harness/measure/operation_trace.hpp"
#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/device_memory.hpp"
#include "harness/workload/gradient_clip.hpp"
#include "harness/workload/out_of_memory.hpp"
#include "harness/workload/saved_tensors.hpp"

namespace highwater {
namespace {

std::vector<at::Tensor> trained_parameters(const Model& model) {
  std::vector<at::Tensor> parameters = model.parameters();
  std::erase_if(parameters, [](const at::Tensor& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

/// Updates one parameter and releases its gradient, as soon as that is complete.
class UpdateHook final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit UpdateHook(Optimizer& optimizer) : optimizer_(optimizer) {}
  void operator()(const at::Tensor& parameter) override {
    optimizer_.take_gradients({parameter});
    optimizer_.step();
    parameter.mutable_grad().reset();
  }

 private:
  Optimizer& optimizer_;
};

}  // namespace

StepRunner::StepRunner(std::shared_ptr<Model> model, StepPlan plan, PhaseObserver* observer,
                       std::vector<std::shared_ptr<Model>> replicas)
    : model_(std::move(model)),
      plan_(std::move(plan)),
      observer_(observer),
      chain_(*model_, plan_),
      parameters_(trained_parameters(*model_)),
      device_(parameters_.at(0).device()),
      micro_batches_(plan_.micro_batches),
      log_(plan_.loss_log) {
  choose_attention(plan_.attention, device_);
  if (!replicas.empty()) parallel_.emplace(model_, std::move(replicas), plan_);
  if (plan_.batch_transfer != BatchTransfer::resident) {
    prefetch_.emplace(device_, plan_.batch_transfer == BatchTransfer::side_stream);
  }
  if (plan_.mode != StepMode::train) return;
  if (plan_.gradient_scaler) scaler_.emplace(device_);
  if (plan_.gradient_bucketing != GradientBucketing::none) {
    buckets_.emplace(parameters_, plan_.gradient_bucketing == GradientBucketing::views);
  }
  if (plan_.update == UpdateTime::in_backward) {
    update_in_backward();
  } else {
    optimizers_.push_back(plan_.optimizer.make(parameters_));
  }
}

void StepRunner::update_in_backward() {
  for (const at::Tensor& parameter : parameters_) {
    optimizers_.push_back(plan_.optimizer.make({parameter}));
    torch::autograd::impl::set_post_acc_grad_hooks(
        parameter, std::make_unique<UpdateHook>(*optimizers_.back()));
  }
}

at::Tensor StepRunner::step(const Batch& batch) {
  at::Tensor loss = run(prefetch_ ? prefetch_->take(batch) : batch);
  if (prefetch_) prefetch_->start(batch);
  if (plan_.empties_cache) empty_device_cache(device_);
  return loss;
}

at::Tensor StepRunner::run(const Batch& batch) {
  return plan_.mode == StepMode::train ? train(batch) : evaluate(batch);
}

at::Tensor StepRunner::evaluate(const Batch& batch) {
  const c10::InferenceMode inference(plan_.mode == StepMode::inference_mode);
  const at::AutoGradMode grad_mode(plan_.mode == StepMode::forward_with_graph);
  ++updates_;
  return forward(batch, batch.size()).loss.detach();
}

at::Tensor StepRunner::train(const Batch& batch) {
  clear_gradients();
  const at::Tensor loss = plan_.oom_retry ? accumulate_within_memory(batch) : accumulate(batch);
  update();
  log_validation(batch);
  return loss;
}

at::Tensor StepRunner::accumulate(const Batch& batch) {
  at::Tensor mean_loss;
  if (buckets_) buckets_->before_forward();
  const std::vector<Batch> micro_batches = batch.split(micro_batches_);
  for (const Batch& micro : micro_batches) {
    Forwarded forwarded = forward(micro, batch.size());
    log_.add_training(forwarded.loss, std::move(forwarded.outputs));
    if (buckets_ && &micro == &micro_batches.back()) buckets_->before_last_backward();
    backward(forwarded.loss);
    const at::Tensor loss = forwarded.loss.detach();
    mean_loss = mean_loss.defined() ? mean_loss + loss : loss;
  }
  return mean_loss;
}

at::Tensor StepRunner::accumulate_within_memory(const Batch& batch) {
  const ForwardState before(*model_, device_);
  for (;;) {
    if (const auto loss = try_to_accumulate(batch)) return *loss;
    // Outside of the handler, which may hold what it was thrown through.
    drop_gradients();
    empty_device_cache(device_);
    before.restore();
    micro_batches_ = std::min(2 * micro_batches_, batch.size());
    ++oom_retries_;
  }
}

std::optional<at::Tensor> StepRunner::try_to_accumulate(const Batch& batch) {
  const std::int64_t more = std::min(2 * micro_batches_, batch.size());
  const bool may_halve =
      more > micro_batches_ && batch.size() / more >= plan_.oom_retry->smallest_micro_batch;
  try {
    return accumulate(batch);
  } catch (const c10::Error& error) {
    if (!may_halve || !is_out_of_memory(error)) throw;
    return std::nullopt;
  }
}

void StepRunner::drop_gradients() {
  for (const at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  if (parallel_) parallel_->release();
}

void StepRunner::clear_gradients() {
  const PhaseScope phase(observer_, Phase::zero_grad);
  for (const at::Tensor& parameter : parameters_) {
    at::Tensor& gradient = parameter.mutable_grad();
    if (!gradient.defined()) continue;
    if (plan_.gradient_reset == GradientReset::set_to_none) {
      gradient.reset();
    } else {
      gradient.zero_();
    }
  }
}

StepRunner::Forwarded StepRunner::forward(const Batch& batch, std::int64_t samples_of_step) {
  const PhaseScope phase(observer_, Phase::forward);
  std::optional<AutocastGuard> autocast;
  if (plan_.autocast) {
    autocast.emplace(AutocastState{
        .device_type = device_.type(), .enabled = true, .dtype = plan_.autocast->dtype});
  }
  if (parallel_) parallel_->replicate();
  std::optional<SavedTensorHooksGuard> packing;
  if (plan_.packing) packing.emplace(plan_.packing->hooks_of_a_forward(resident(batch)));
  Forwarded forwarded;
  Tensors outputs = parallel_ ? parallel_->forward(batch) : chain_.run(batch.inputs);
  forwarded.loss = loss(outputs, batch);
  if (log_.wants_outputs()) forwarded.outputs = std::move(outputs);
  if (batch.size() != samples_of_step) {
    forwarded.loss =
        forwarded.loss * (static_cast<double>(batch.size()) / static_cast<double>(samples_of_step));
  }
  return forwarded;
}

at::Tensor StepRunner::loss(const Tensors& outputs, const Batch& batch) {
  const ModuleScope scope("loss");
  return model_->loss(outputs, batch);
}

Tensors StepRunner::resident(const Batch& batch) const {
  Tensors tensors = batch.inputs;
  tensors.push_back(batch.targets);
  const auto add = [&tensors](const Tensors& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  add(model_->parameters());
  add(model_->buffers());
  if (parallel_) add(parallel_->replicated());
  return tensors;
}

void StepRunner::backward(const at::Tensor& loss) {
  const PhaseScope phase(observer_, Phase::backward);
  (scaler_ ? scaler_->scale(loss) : loss).backward({}, log_.retains_graphs());
  if (parallel_) parallel_->reduce_gradients();
}

void StepRunner::log_validation(const Batch& batch) {
  if (!log_.wants_validation()) return;
  // A validation goes on from the state that training left, and does not move it.
  const auto before = handed_on_state(*model_, device_);
  for (const Batch& micro : batch.split(micro_batches_)) {
    log_.add_validation(forward(micro, batch.size()).loss);
  }
  if (before) before->restore();
}

void StepRunner::update() {
  const PhaseScope phase(observer_, Phase::optimizer);
  if (plan_.update == UpdateTime::in_backward) {
    ++updates_;
    return;
  }
  Optimizer& optimizer = *optimizers_.at(0);
  const Tensors updated = optimizer.take_gradients(parameters_);
  if (plan_.gradient_clip) {
    if (scaler_) scaler_->unscale(updated);
    clip_gradients(updated, *plan_.gradient_clip);
  }
  if (scaler_) {
    updates_ += scaler_->step(optimizer, updated) ? 1 : 0;
    return;
  }
  optimizer.step();
  ++updates_;
}

double StepRunner::gradient_scale() const {
  const bool copied = parameters_.at(0).scalar_type() == at::kHalf;
  return scaler_ && copied ? scaler_->current_scale() : 1.0;
}

std::optional<std::int64_t> StepRunner::oom_retries() const {
  return plan_.oom_retry ? std::optional(oom_retries_) : std::nullopt;
}

std::optional<Bytes> StepRunner::replica_bytes() const {
  return parallel_ ? std::optional(parallel_->replica_bytes()) : std::nullopt;
}

std::vector<at::Tensor> StepRunner::state_tensors() const {
  std::vector<at::Tensor> tensors;
  for (const auto& optimizer : optimizers_) {
    for (const at::Tensor& tensor : optimizer->state_tensors()) tensors.push_back(tensor);
  }
  if (scaler_) {
    for (const at::Tensor& tensor : scaler_->state_tensors()) tensors.push_back(tensor);
  }
  return tensors;
}

}  // namespace highwater
