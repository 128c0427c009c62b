#include "harness/workload/step_runner.hpp"

#include "harness/workload/autocast_guard.hpp"

namespace highwater {

StepRunner::StepRunner(std::shared_ptr<Model> model, StepPlan plan, PhaseObserver* observer)
    : model_(std::move(model)),
      plan_(std::move(plan)),
      observer_(observer),
      segments_(model_->segments()),
      parameters_(model_->parameters()),
      optimizer_(plan_.optimizer.make(parameters_)) {
  if (plan_.autocast && plan_.autocast->gradient_scaler) {
    scaler_.emplace(parameters_.at(0).device());
  }
}

at::Tensor StepRunner::step(const Batch& batch) {
  clear_gradients();
  at::Tensor mean_loss;
  for (const Batch& micro : batch.split(plan_.micro_batches)) {
    const at::Tensor loss = forward(micro, batch.size());
    backward(loss);
    mean_loss = mean_loss.defined() ? mean_loss + loss.detach() : loss.detach();
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

at::Tensor StepRunner::forward(const Batch& batch, std::int64_t samples_of_step) {
  const PhaseScope phase(observer_, Phase::forward);
  std::optional<AutocastGuard> autocast;
  if (plan_.autocast) {
    autocast.emplace(AutocastState{.device_type = parameters_.at(0).device().type(),
                                   .enabled = true,
                                   .dtype = plan_.autocast->dtype});
  }
  Tensors tensors = batch.inputs;
  for (const Segment& segment : segments_) {
    const bool wrapped = plan_.segment_wrap != nullptr && segment.recomputable;
    tensors = wrapped ? plan_.segment_wrap->run(segment, tensors) : segment.run(tensors);
  }
  const at::Tensor loss = model_->loss(tensors, batch);
  if (batch.size() == samples_of_step) return loss;
  return loss * (static_cast<double>(batch.size()) / static_cast<double>(samples_of_step));
}

void StepRunner::backward(const at::Tensor& loss) {
  const PhaseScope phase(observer_, Phase::backward);
  (scaler_ ? scaler_->scale(loss) : loss).backward();
}

void StepRunner::update() {
  const PhaseScope phase(observer_, Phase::optimizer);
  if (scaler_) {
    updates_ += scaler_->step(*optimizer_, parameters_) ? 1 : 0;
    return;
  }
  optimizer_->step();
  ++updates_;
}

std::vector<at::Tensor> StepRunner::state_tensors() const {
  std::vector<at::Tensor> tensors = optimizer_->state_tensors();
  if (scaler_) {
    for (const at::Tensor& tensor : scaler_->state_tensors()) tensors.push_back(tensor);
  }
  return tensors;
}

}  // namespace highwater
