#pragma once

#include <torch/nn/module.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/measure/measurement.hpp"
#include "harness/workload/batch.hpp"
#include "harness/workload/segment.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// What a model is built with. Random state comes from the default generators: seed them first.
struct ModelOptions {
  std::string preset;                 ///< a key of ModelDeclaration::presets
  at::Device device = at::kCPU;       ///< parameters are created there, never copied
  std::optional<std::int64_t> batch;  ///< samples of the example batch; absent = the preset's own
  std::optional<double> dropout;      ///< overrides the preset's probability, 0 turns it off
  ModelVariant variant;               ///< the model as published by default

  /// Samples of the example batch, given the preset's own.
  std::int64_t batch_of(std::int64_t own) const {
    return std::max<std::int64_t>(1, batch.value_or(own) / variant.batch_divisor);
  }
};

/// A network with its example batch and its loss.
class Model : public torch::nn::Module {
 public:
  /// In order; chaining them is the forward pass. Valid as long as the model lives.
  virtual std::vector<Segment> segments() = 0;
  /// The same tensors for the same generator state; shapes stand in the model's file.
  virtual Batch example_batch() = 0;
  /// Mean over the samples of `batch`, a scalar: by default the cross entropy of the first output,
  /// logits [batch, classes], with the targets, int64 [batch].
  virtual at::Tensor loss(const Tensors& outputs, const Batch& batch);
  /// Bytes that this model keeps from forward for backward under `plan`, on one device: the closed
  /// form, in requested bytes. Absent where none is known.
  virtual std::optional<Bytes> predict_activations(const StepPlan& plan) const = 0;
};

struct ModelDeclaration {
  std::string name;
  /// Stem of the file in models/ that declares it: sizes of one family share a file.
  std::string family;
  std::string summary;
  std::vector<std::string> tags;
  /// Abilities a device must have, e.g. "convolution".
  std::vector<std::string> needs;
  /// What techniques can take hold of in it: "attention", "fused_attention", "convolution", "gelu",
  /// "kernels", "linear", "relu", "token_loss", ... A technique that needs one is skipped
  /// elsewhere.
  std::vector<std::string> abilities;
  /// Parameter count by preset; asserted whenever the model is built as published.
  std::map<std::string, std::int64_t> parameters;
  /// Batch of preset "small": "full" with so few samples that parameters, gradients and optimizer
  /// state outweigh activations where the model allows that at all.
  std::int64_t small_batch = 1;
  /// Random masks are drawn in forward: another batch split draws others.
  bool has_dropout = false;
  /// Statistics are taken over the batch: another batch split computes something else.
  bool has_batch_statistics = false;
  std::function<std::shared_ptr<Model>(const ModelOptions&)> make;
};

/// Everything but activations follows from the parameters: parameters, gradients and optimizer
/// state; activations by the model's own closed form. Keys are metric ids.
Measurement predict(const Model& model, const StepPlan& plan);

}  // namespace highwater
