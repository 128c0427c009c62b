#include "harness/workload/model.hpp"

#include "harness/workload/gradient_scaler.hpp"

namespace highwater {
namespace {

/// All that a forward leaves that keeps nothing for backward.
constexpr Bytes kLossBytes = 4;

Bytes scaler_bytes(const StepPlan& plan) {
  return plan.gradient_scaler && plan.mode == StepMode::train ? GradientScaler::kStateBytes : 0;
}

/// Absent on the cpu, whose operators also make tensors of their scalars, and where a scaler or a
/// limit adds scalars of its own.
std::optional<Bytes> predict_temporaries(const Model& model, const StepPlan& plan) {
  std::vector<at::Tensor> trained;
  for (const at::Tensor& parameter : model.parameters()) {
    if (parameter.requires_grad()) trained.push_back(parameter);
  }
  if (plan.mode != StepMode::train || plan.update == UpdateTime::in_backward) return 0;
  if (trained.at(0).is_cpu() || plan.gradient_scaler || plan.gradient_clip) return std::nullopt;
  if (!plan.optimizer.temporary_bytes) return std::nullopt;
  return plan.optimizer.temporary_bytes(trained);
}

bool builds_graph(const StepPlan& plan) {
  return plan.mode == StepMode::train || plan.mode == StepMode::forward_with_graph;
}

bool saves_elsewhere(const Model& model, const StepPlan& plan) {
  const bool has_elsewhere = !model.parameters().at(0).device().is_cpu();
  return has_elsewhere && plan.packing != nullptr && plan.packing->empties_the_device();
}

}  // namespace

at::Tensor Model::loss(const Tensors& outputs, const Batch& batch) {
  return at::cross_entropy_loss(outputs.at(0), batch.targets);
}

Measurement predict(const Model& model, const StepPlan& plan) {
  Bytes parameters = 0;
  Bytes gradients = 0;
  Bytes state = scaler_bytes(plan);
  for (const at::Tensor& parameter : model.parameters()) {
    const auto bytes = static_cast<Bytes>(parameter.nbytes());
    parameters += bytes;
    if (!parameter.requires_grad() || plan.mode != StepMode::train) continue;
    if (plan.update == UpdateTime::after_backward) gradients += bytes;
    state += plan.optimizer.state_bytes(parameter);
  }
  Measurement prediction = {{"parameters_bytes", parameters},
                            {"gradients_bytes", gradients},
                            {"optimizer_state_bytes", state}};
  if (const auto temporaries = predict_temporaries(model, plan)) {
    prediction["optimizer_temporary_bytes"] = *temporaries;
  }
  if (!builds_graph(plan) || saves_elsewhere(model, plan)) {
    prediction["activations_after_forward_bytes"] = kLossBytes;
  } else if (const auto activations = model.predict_activations(plan)) {
    prediction["activations_after_forward_bytes"] = *activations;
  }
  return prediction;
}

}  // namespace highwater
