#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <torch/nn/module.h>

#include "harness/core/bytes.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// What a pre-norm block is made of.
struct PreNormShape {
  std::int64_t width;
  std::int64_t heads;
  double eps;        ///< of both norms
  bool causal;       ///< a token attends to itself and those before it
  std::string gelu;  ///< at::gelu's approximation: "none" or "tanh"
};

/// Transformer block that normalises first: y = x + attention(norm(x)), then y + mlp(norm(y)) with
/// a hidden layer of four widths. Fused attention, no dropout. GPT-2's and ViT's. x: [batch,
/// tokens, width] -> the same shape. Of the variant it obeys attention_wrap and activation_wrap.
class PreNormBlock final : public torch::nn::Module {
 public:
  PreNormBlock(PreNormShape shape, const ModelVariant& variant, at::Device device);
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor attention(const at::Tensor& x) const;
  at::Tensor mlp(const at::Tensor& x) const;

  PreNormShape shape_;
  std::shared_ptr<const SegmentWrap> attention_wrap_, activation_wrap_;
  std::shared_ptr<LayerNorm> norm1_, norm2_;
  std::shared_ptr<Linear> qkv_, projection_, expand_, contract_;
};

namespace closed_forms {

/// What such blocks in a row keep for backward of `samples` x `tokens`, to the byte, under a plan
/// for which the forms of transformers hold (transformer.hpp).
Bytes pre_norm_blocks(Bytes blocks, const PreNormShape& shape, Bytes samples, Bytes tokens,
                      const StepPlan& plan, at::Device device);

}  // namespace closed_forms
}  // namespace highwater
