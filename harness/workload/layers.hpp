#pragma once

#include <cstdint>

#include "harness/core/bytes.hpp"
#include "harness/workload/model_variant.hpp"
#include "harness/workload/scoped_module.hpp"
#include "harness/workload/segment.hpp"

namespace highwater {

/// PyTorch's default for weights and biases: U(-1/sqrt(fan_in), 1/sqrt(fan_in)), fp32.
at::Tensor uniform_parameter(at::IntArrayRef shape, std::int64_t fan_in, at::Device device);

/// Layers with PyTorch's shapes, names and initialisation, made of single ATen operators.
/// Linear calls at::linear, as Python does. torch::nn::functional::linear calls addmm on a
/// transposed view, which autocast casts anew at every call: ten calls of one layer kept ten half
/// copies.

/// y = x W^T + b. x: [..., in], y: [..., out].
class Linear : public ScopedModule {
 public:
  Linear(std::int64_t in, std::int64_t out, at::Device device, bool has_bias = true);
  at::Tensor forward(const at::Tensor& x) const;

  /// Makes W = up down of a rank that saves: from then on there is no weight.
  void factorise(std::int64_t rank);
  /// Adds up down x, with `up` zero at first, as LoRA does (Hu et al. 2021). The weight is frozen
  /// by whoever freezes the model.
  void adapt(std::int64_t rank);

  at::Tensor weight;  ///< [out, in]; undefined once factorised
  at::Tensor bias;    ///< [out], or undefined
  at::Tensor down;    ///< [rank, in], or undefined
  at::Tensor up;      ///< [out, rank], or undefined

 private:
  void register_factors(std::int64_t rank);
};

/// Does to the linear layers of a model what the variant says: rank_divisor and lora_rank. Layers
/// in which a rank would save nothing stay as they are. Under lora_rank all else is frozen.
void adapt_linear_layers(torch::nn::Module& model, const ModelVariant& variant);

/// Normalises the last dimension, in fp32 statistics.
class LayerNorm : public ScopedModule {
 public:
  LayerNorm(std::int64_t width, double eps, at::Device device);
  at::Tensor forward(const at::Tensor& x) const {
    const ModuleScope here = scope();
    return at::layer_norm(x, {weight.size(0)}, weight, bias, eps_);
  }

  at::Tensor weight;
  at::Tensor bias;

 private:
  double eps_;
};

/// A table of `count` rows; ids: int64 of any shape, y: [..., width].
class Embedding : public ScopedModule {
 public:
  Embedding(std::int64_t count, std::int64_t width, double deviation, at::Device device);
  at::Tensor forward(const at::Tensor& ids) const {
    const ModuleScope here = scope();
    return at::embedding(weight, ids);
  }

  at::Tensor weight;  ///< [count, width]
};

/// ReLU as the variant has it: into a new tensor, or over its input, which nobody else may need.
TensorFunction relu_of(const ModelVariant& variant);

/// Drops with probability p, scaling what stays. Calls native_dropout on every device: the CPU's
/// own dropout would keep a float mask where the GPU keeps a bool one, and no closed form would fit
/// both.
at::Tensor dropout(const at::Tensor& x, double p);

}  // namespace highwater
