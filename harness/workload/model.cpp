#include "harness/workload/model.hpp"

#include "harness/workload/gradient_scaler.hpp"

namespace highwater {
namespace {

Bytes scaler_bytes(const StepPlan& plan) {
  return plan.autocast && plan.autocast->gradient_scaler ? GradientScaler::kStateBytes : 0;
}

}  // namespace

Measurement predict(const Model& model, const StepPlan& plan) {
  Bytes parameters = 0;
  for (const at::Tensor& parameter : model.parameters()) {
    parameters += static_cast<Bytes>(parameter.nbytes());
  }
  Measurement prediction = {
      {"parameters_bytes", parameters},
      {"gradients_bytes", parameters},
      {"optimizer_state_bytes",
       parameters * plan.optimizer.state_per_parameter + scaler_bytes(plan)},
  };
  if (const auto activations = model.predict_activations(plan)) {
    prediction["activations_after_forward_bytes"] = *activations;
  }
  return prediction;
}

}  // namespace highwater
