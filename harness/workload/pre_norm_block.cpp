#include "harness/workload/pre_norm_block.hpp"

#include <utility>

#include "harness/workload/closed_forms.hpp"

namespace highwater {

PreNormBlock::PreNormBlock(PreNormShape shape, at::Device device) : shape_(std::move(shape)) {
  const std::int64_t h = shape_.width;
  norm1_ = register_module("norm1", std::make_shared<LayerNorm>(h, shape_.eps, device));
  qkv_ = register_module("qkv", std::make_shared<Linear>(h, 3 * h, device));
  projection_ = register_module("projection", std::make_shared<Linear>(h, h, device));
  norm2_ = register_module("norm2", std::make_shared<LayerNorm>(h, shape_.eps, device));
  expand_ = register_module("expand", std::make_shared<Linear>(h, 4 * h, device));
  contract_ = register_module("contract", std::make_shared<Linear>(4 * h, h, device));
}

at::Tensor PreNormBlock::forward(const at::Tensor& x) const {
  const at::Tensor y = x + projection_->forward(attend(qkv_->forward(norm1_->forward(x))));
  return y + contract_->forward(at::gelu(expand_->forward(norm2_->forward(y)), shape_.gelu));
}

at::Tensor PreNormBlock::attend(const at::Tensor& qkv) const {
  const std::int64_t b = qkv.size(0);
  const std::int64_t t = qkv.size(1);
  const std::vector<at::Tensor> parts =
      qkv.view({b, t, 3 * shape_.heads, -1}).transpose(1, 2).chunk(3, 1);
  const at::Tensor context = at::scaled_dot_product_attention(
      parts[0], parts[1], parts[2], /*attn_mask=*/{}, /*dropout_p=*/0.0, shape_.causal);
  return context.transpose(1, 2).reshape({b, t, -1});
}

namespace closed_forms {
namespace {

/// The memory-efficient kernel of a GPU pads a head's row of log-sum-exps to a multiple of 32.
Bytes log_sum_exp_row(Bytes tokens, at::Device device) {
  return device.is_cpu() ? tokens : (tokens + 31) / 32 * 32;
}

}  // namespace

Bytes pre_norm_block(const PreNormShape& shape, Bytes samples, Bytes tokens, const StepPlan& plan,
                     at::Device device) {
  const Bytes h = shape.width;
  if (plan.segment_wrap != nullptr)
    return samples * tokens * h * kFloat + checkpoint_random_state(device);
  // Two norm inputs, in fp32 always; norm outputs 2h, q, k, v 3h, attention output h, GELU input
  // and output 8h; two pairs of norm statistics; a log-sum-exp per head.
  const Bytes token = 2 * h * kFloat + 14 * h * element(plan) + 2 * kNormStatistics;
  const Bytes sample = tokens * token + shape.heads * log_sum_exp_row(tokens, device) * kFloat;
  return samples * sample + 12 * h * h * weight_copy(plan);
}

}  // namespace closed_forms
}  // namespace highwater
