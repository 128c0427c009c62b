#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/core/phase.hpp"
#include "harness/workload/gradient_scaler.hpp"
#include "harness/workload/model.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// Runs training steps of one model as a plan says.
class StepRunner {
 public:
  /// `observer` may be null. The model is held for the runner's life.
  StepRunner(std::shared_ptr<Model> model, StepPlan plan, PhaseObserver* observer = nullptr);

  /// Clear gradients, forward, backward, update; forward alone where the plan does not train.
  /// Returns the mean loss over the batch, detached. Gradients stay until the next step, unscaled
  /// unless the optimizer unscales copies of them; where parameters are updated in backward none
  /// stays.
  at::Tensor step(const Batch& batch);

  /// Updates that really happened: a gradient scaler skips some, and a plan that does not train
  /// counts its forwards.
  std::int64_t updates() const { return updates_; }

  /// What the gradients that stay are still multiplied by: 1 unless copies of them were unscaled.
  double gradient_scale() const;

  /// Those that are trained.
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  /// Optimizer state and gradient scaler.
  std::vector<at::Tensor> state_tensors() const;

 private:
  struct Forwarded {
    Tensors outputs;
    at::Tensor loss;  ///< mean over the batch, weighted by its share of the step's samples
  };

  at::Tensor evaluate(const Batch& batch);
  at::Tensor train(const Batch& batch);
  void clear_gradients();
  Forwarded forward(const Batch& batch, std::int64_t samples_of_step);
  Tensors run_segments(Tensors tensors) const;
  void backward(const at::Tensor& loss);
  void update();
  void clip_gradients(const Tensors& parameters);
  void log(Forwarded& forwarded);
  void update_in_backward();

  std::shared_ptr<Model> model_;
  StepPlan plan_;
  PhaseObserver* observer_;
  std::vector<Segment> segments_;
  std::vector<at::Tensor> parameters_;
  /// One for all parameters, or one for each where updates happen in backward.
  std::vector<std::unique_ptr<Optimizer>> optimizers_;
  std::optional<GradientScaler> scaler_;
  at::Tensor logged_total_;
  Tensors logged_;
  std::int64_t updates_ = 0;
};

}  // namespace highwater
