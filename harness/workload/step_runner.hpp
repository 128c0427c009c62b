#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/core/phase.hpp"
#include "harness/workload/batch_prefetch.hpp"
#include "harness/workload/data_parallel.hpp"
#include "harness/workload/gradient_buckets.hpp"
#include "harness/workload/gradient_scaler.hpp"
#include "harness/workload/loss_logger.hpp"
#include "harness/workload/model.hpp"
#include "harness/workload/segment_chain.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// Runs training steps of one model as a plan says.
class StepRunner {
 public:
  /// `observer` may be null. The model is held for the runner's life, as are its replicas: one for
  /// each further device that the plan asks for, built like the model.
  StepRunner(std::shared_ptr<Model> model, StepPlan plan, PhaseObserver* observer = nullptr,
             std::vector<std::shared_ptr<Model>> replicas = {});

  /// Clear gradients, forward, backward, update; forward alone where the plan does not train.
  /// Returns the mean loss over the batch, detached. Gradients stay until the next step, unscaled
  /// unless the optimizer unscales copies of them; where parameters are updated in backward none
  /// stays. The batch lies where the plan says.
  at::Tensor step(const Batch& batch);

  /// Updates that really happened: a gradient scaler skips some, and a plan that does not train
  /// counts its forwards.
  std::int64_t updates() const { return updates_; }

  /// What the gradients that stay are still multiplied by: 1 unless copies of them were unscaled.
  double gradient_scale() const;
  /// How often a step ran out of memory and was tried again; absent where the plan does not.
  std::optional<std::int64_t> oom_retries() const;
  /// Bytes copied to further devices in every forward; absent where there are none.
  std::optional<Bytes> replica_bytes() const;

  /// Buckets beside the gradients, or that these are views of; null where there are none.
  const GradientBuckets* buckets() const { return buckets_ ? &*buckets_ : nullptr; }

  /// What lies on the device of the next step's batch; empty where the batch stays there.
  Tensors prefetched() const { return prefetch_ ? prefetch_->waiting() : Tensors{}; }

  /// Those that are trained.
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  /// Optimizer state and gradient scaler.
  std::vector<at::Tensor> state_tensors() const;

 private:
  struct Forwarded {
    Tensors outputs;
    at::Tensor loss;  ///< mean over the batch, weighted by its share of the step's samples
  };

  at::Tensor run(const Batch& batch);
  at::Tensor evaluate(const Batch& batch);
  at::Tensor train(const Batch& batch);
  at::Tensor accumulate(const Batch& batch);
  at::Tensor accumulate_within_memory(const Batch& batch);
  std::optional<at::Tensor> try_to_accumulate(const Batch& batch);
  void clear_gradients();
  void drop_gradients();
  Forwarded forward(const Batch& batch, std::int64_t samples_of_step);
  at::Tensor loss(const Tensors& outputs, const Batch& batch);
  Tensors resident(const Batch& batch) const;
  void backward(const at::Tensor& loss);
  void update();
  void log_validation(const Batch& batch);
  void update_in_backward();

  std::shared_ptr<Model> model_;
  StepPlan plan_;
  PhaseObserver* observer_;
  SegmentChain chain_;
  std::vector<at::Tensor> parameters_;
  at::Device device_;
  std::optional<DataParallel> parallel_;
  std::optional<BatchPrefetch> prefetch_;
  std::optional<GradientBuckets> buckets_;
  std::int64_t micro_batches_;
  std::int64_t oom_retries_ = 0;
  /// One for all parameters, or one for each where updates happen in backward.
  std::vector<std::unique_ptr<Optimizer>> optimizers_;
  std::optional<GradientScaler> scaler_;
  LossLogger log_;
  std::int64_t updates_ = 0;
};

}  // namespace highwater
