#include "harness/workload/pre_norm_block.hpp"

#include <utility>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {

PreNormBlock::PreNormBlock(PreNormShape shape, const ModelVariant& variant, at::Device device)
    : shape_(std::move(shape)),
      attention_wrap_(variant.attention_wrap),
      activation_wrap_(variant.activation_wrap) {
  const std::int64_t h = shape_.width;
  norm1_ = register_module("norm1", std::make_shared<LayerNorm>(h, shape_.eps, device));
  qkv_ = register_module("qkv", std::make_shared<Linear>(h, 3 * h, device));
  projection_ = register_module("projection", std::make_shared<Linear>(h, h, device));
  norm2_ = register_module("norm2", std::make_shared<LayerNorm>(h, shape_.eps, device));
  expand_ = register_module("expand", std::make_shared<Linear>(h, 4 * h, device));
  contract_ = register_module("contract", std::make_shared<Linear>(4 * h, h, device));
}

at::Tensor PreNormBlock::forward(const at::Tensor& x) const {
  const at::Tensor y = x + attention(norm1_->forward(x));
  return y + mlp(norm2_->forward(y));
}

at::Tensor PreNormBlock::attention(const at::Tensor& x) const {
  const std::vector<at::Tensor> parts = qkv_->forward(x)
                                            .view({x.size(0), x.size(1), 3 * shape_.heads, -1})
                                            .transpose(1, 2)
                                            .chunk(3, 1);
  return projection_->forward(run_part(
      attention_wrap_.get(), "attention", parts,
      [causal = shape_.causal](const Tensors& t) { return attend(t[0], t[1], t[2], causal); }));
}

at::Tensor PreNormBlock::mlp(const at::Tensor& x) const {
  return run_part(activation_wrap_.get(), "gelu", {expand_->forward(x)}, [this](const Tensors& t) {
    return contract_->forward(at::gelu(t[0], shape_.gelu));
  });
}

namespace closed_forms {

Bytes pre_norm_blocks(Bytes blocks, const PreNormShape& shape, Bytes samples, Bytes tokens,
                      const StepPlan& plan, at::Device device) {
  const Bytes h = shape.width;
  if (plan.segment_wrap != nullptr) return wrapped_layers(blocks, samples, tokens, h, plan, device);
  const bool recomputes_gelu = plan.variant.activation_wrap != nullptr;
  // Two norm inputs, which autocast leaves alone; norm outputs 2h, q, k, v 3h, attention output h,
  // GELU input and output 4h each; two pairs of norm statistics.
  const Bytes token = 2 * h * resident(plan) + (recomputes_gelu ? 10 : 14) * h * element(plan) +
                      2 * norm_statistics(plan, device);
  const Bytes weights = (recomputes_gelu ? 8 : 12) * h * h;
  const Bytes block = samples * tokens * token +
                      attention_core(samples, shape.heads, tokens, plan, device) +
                      weights * weight_copy(plan) + wrapped_parts(plan, device);
  return blocks * block;
}

}  // namespace closed_forms
}  // namespace highwater
