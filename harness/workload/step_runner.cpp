#include "harness/workload/step_runner.hpp"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/variable.h>

#include <cmath>

#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/device_memory.hpp"
#include "harness/workload/saved_tensors.hpp"

namespace highwater {
namespace {

std::vector<at::Tensor> trained_parameters(const Model& model) {
  std::vector<at::Tensor> parameters = model.parameters();
  std::erase_if(parameters, [](const at::Tensor& parameter) { return !parameter.requires_grad(); });
  return parameters;
}

std::vector<Segment> grouped(std::vector<Segment> segments, SegmentGrouping grouping) {
  if (grouping == SegmentGrouping::each) return segments;
  const auto count = std::ranges::count_if(segments, &Segment::recomputable);
  const auto length = std::ceil(std::sqrt(static_cast<double>(count)));
  return merge_recomputable(std::move(segments), static_cast<std::int64_t>(length));
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

StepRunner::StepRunner(std::shared_ptr<Model> model, StepPlan plan, PhaseObserver* observer)
    : model_(std::move(model)),
      plan_(std::move(plan)),
      observer_(observer),
      segments_(grouped(model_->segments(), plan_.segment_grouping)),
      parameters_(trained_parameters(*model_)) {
  choose_attention(plan_.attention, parameters_.at(0).device());
  if (plan_.mode != StepMode::train) return;
  if (plan_.gradient_scaler) scaler_.emplace(parameters_.at(0).device());
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
  at::Tensor loss = plan_.mode == StepMode::train ? train(batch) : evaluate(batch);
  if (plan_.empties_cache) empty_device_cache(loss.device());
  return loss;
}

at::Tensor StepRunner::evaluate(const Batch& batch) {
  const c10::InferenceMode inference(plan_.mode == StepMode::inference_mode);
  const at::AutoGradMode grad_mode(plan_.mode == StepMode::forward_with_graph);
  ++updates_;
  return forward(batch, batch.size()).loss.detach();
}

at::Tensor StepRunner::train(const Batch& batch) {
  clear_gradients();
  at::Tensor mean_loss;
  for (const Batch& micro : batch.split(plan_.micro_batches)) {
    Forwarded forwarded = forward(micro, batch.size());
    log(forwarded);
    backward(forwarded.loss);
    const at::Tensor loss = forwarded.loss.detach();
    mean_loss = mean_loss.defined() ? mean_loss + loss : loss;
  }
  update();
  return mean_loss;
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
    autocast.emplace(AutocastState{.device_type = parameters_.at(0).device().type(),
                                   .enabled = true,
                                   .dtype = plan_.autocast->dtype});
  }
  std::optional<SavedTensorHooksGuard> packing;
  if (plan_.packing) packing.emplace(plan_.packing->hooks_of_a_forward());
  Forwarded forwarded;
  Tensors outputs = run_segments(batch.inputs);
  forwarded.loss = model_->loss(outputs, batch);
  if (plan_.loss_log == LossLog::stored_outputs) forwarded.outputs = std::move(outputs);
  if (batch.size() != samples_of_step) {
    forwarded.loss =
        forwarded.loss * (static_cast<double>(batch.size()) / static_cast<double>(samples_of_step));
  }
  return forwarded;
}

Tensors StepRunner::run_segments(Tensors tensors) const {
  for (const Segment& segment : segments_) {
    const bool wrapped = plan_.segment_wrap != nullptr && segment.recomputable;
    tensors = wrapped ? plan_.segment_wrap->run(segment, tensors) : segment.run(tensors);
  }
  return tensors;
}

void StepRunner::backward(const at::Tensor& loss) {
  const PhaseScope phase(observer_, Phase::backward);
  const bool retain_graph = plan_.loss_log == LossLog::retained_graphs;
  (scaler_ ? scaler_->scale(loss) : loss).backward({}, retain_graph);
}

void StepRunner::log(Forwarded& forwarded) {
  const at::Tensor& loss = forwarded.loss;
  switch (plan_.loss_log) {
    case LossLog::none:
      return;
    case LossLog::detached_total:
      logged_total_ =
          logged_total_.defined() ? logged_total_ + loss.detach() : loss.detach().clone();
      return;
    case LossLog::attached_total:
      logged_total_ = logged_total_.defined() ? logged_total_ + loss : loss;
      return;
    case LossLog::retained_graphs:
      logged_.push_back(loss);
      return;
    case LossLog::stored_outputs:
      for (at::Tensor& output : forwarded.outputs) logged_.push_back(std::move(output));
      return;
  }
}

void StepRunner::clip_gradients(const Tensors& parameters) {
  if (!plan_.gradient_clip) return;
  const GradientClip& clip = *plan_.gradient_clip;
  if (scaler_) scaler_->unscale(parameters);
  const at::NoGradGuard no_grad;
  Tensors gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  if (clip.kind == GradientClip::Kind::value) {
    at::_foreach_clamp_min_(gradients, -clip.limit);
    at::_foreach_clamp_max_(gradients, clip.limit);
    return;
  }
  // As Python's clip_grad_norm_; LibTorch's own reads the norm back, which waits for the device.
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients)).norm();
  at::_foreach_mul_(gradients, (clip.limit / (norm + 1e-6)).clamp_max(1.0));
}

void StepRunner::update() {
  const PhaseScope phase(observer_, Phase::optimizer);
  if (plan_.update == UpdateTime::in_backward) {
    ++updates_;
    return;
  }
  Optimizer& optimizer = *optimizers_.at(0);
  const Tensors updated = optimizer.take_gradients(parameters_);
  clip_gradients(updated);
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
