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

  /// Clear gradients, forward, backward, update. Returns the mean loss over the batch, detached.
  /// Gradients stay until the next step, unscaled.
  at::Tensor step(const Batch& batch);

  /// Updates that really happened: a gradient scaler skips some.
  std::int64_t updates() const { return updates_; }

  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  /// Optimizer state and gradient scaler.
  std::vector<at::Tensor> state_tensors() const;

 private:
  void clear_gradients();
  /// Mean loss over `batch`, weighted by its share of the step's samples.
  at::Tensor forward(const Batch& batch, std::int64_t samples_of_step);
  void backward(const at::Tensor& loss);
  void update();

  std::shared_ptr<Model> model_;
  StepPlan plan_;
  PhaseObserver* observer_;
  std::vector<Segment> segments_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<GradientScaler> scaler_;
  std::int64_t updates_ = 0;
};

}  // namespace highwater
