// One layer of multi-head self-attention and nothing else, for what is said of attention alone: the
// projection to query, key and value, then softmax(q k^T / sqrt(d)) v, written out or as one
// kernel. Sizes: Dao et al. 2022, FlashAttention, README: hidden dimension 2048, head dimension 64,
// 16k tokens in the batch whatever the sequence length.

#include <cmath>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {
namespace {

struct Config {
  TransformerSize size;
  std::int64_t batch;
  std::int64_t context;
};

constexpr TransformerSize kFull = {.layers = 1, .width = 2048, .heads = 32};

Config config_of(const std::string& preset) {
  if (preset == "full") return {.size = kFull, .batch = 8, .context = 2048};
  if (preset == "4k") return {.size = kFull, .batch = 4, .context = 4096};
  return {.size = {.layers = 1, .width = 32, .heads = 4}, .batch = 4, .context = 16};
}

/// [batch, heads, tokens, d] each -> [batch, tokens, heads d]. Scaling the query takes no second
/// matrix of tokens x tokens.
at::Tensor attend_eagerly(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
  const at::Tensor probabilities = at::softmax(at::matmul(query * scale, key.transpose(2, 3)), -1);
  return at::matmul(probabilities, value).transpose(1, 2).flatten(2);
}

/// x: [batch, tokens, width] -> the same shape; the loss is the mean of what comes out.
class Attention final : public Model {
 public:
  Attention(bool fused, const ModelOptions& options)
      : config_(config_of(options.preset)), fused_(fused), device_(options.device) {
    config_.batch = options.batch_of(config_.batch);
    config_.size = config_.size.divided(options.variant);
    const std::int64_t h = config_.size.width;
    projection_ = register_module("projection", std::make_shared<Linear>(h, 3 * h, device_));
  }

  std::vector<Segment> segments() override {
    return {link("attention", [this](const at::Tensor& x) { return forward(x); })};
  }

  Batch example_batch() override {
    const auto floats = at::device(device_).dtype(at::kFloat);
    const std::vector<std::int64_t> shape = {config_.batch, config_.context, config_.size.width};
    return {.inputs = {at::randn(shape, floats)}, .targets = at::zeros({config_.batch}, floats)};
  }

  at::Tensor loss(const Tensors& outputs, const Batch&) override { return outputs.at(0).mean(); }

  /// Of a token: query, key and value, and written out a row of probabilities for each head. What
  /// comes out is kept by a kernel, and by nothing where it is written out.
  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    const bool plain = transformer_forms_hold(plan) && !plan.autocast && !plan.segment_wrap;
    if (!plain) return std::nullopt;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes value = samples * config_.context * config_.size.width * element(plan);
    const Bytes loss = element(plan);
    if (!fused_) {
      // Of one sample the heads of key and value are multiplied where they lie, so the projection's
      // output stays beside the scaled query; of more they are copied.
      const Bytes row = config_.size.heads * config_.context * element(plan);
      return (samples == 1 ? 4 : 3) * value + samples * config_.context * row + loss;
    }
    const Bytes output = plan.attention == AttentionKernel::math ? 0 : value;
    return 3 * value + output + loss +
           attention_core(samples, config_.size.heads, config_.context, plan, device_);
  }

 private:
  at::Tensor forward(const at::Tensor& x) const {
    const Tensors heads = projection_->forward(x)
                              .view({x.size(0), x.size(1), 3, config_.size.heads, -1})
                              .permute({2, 0, 3, 1, 4})
                              .unbind(0);
    return fused_ ? attend(heads[0], heads[1], heads[2], /*causal=*/false)
                  : attend_eagerly(heads[0], heads[1], heads[2]);
  }

  Config config_;
  bool fused_;
  at::Device device_;
  std::shared_ptr<Linear> projection_;
};

ModelDeclaration attention(const std::string& form, bool fused, const std::string& summary) {
  return {
      .name = "attention-" + form,
      .family = "attention",
      .summary = "self-attention alone, " + summary + ": 32 heads of 64, batch 8 x 2048",
      .tags = {"published"},
      .abilities = fused ? std::vector<std::string>{"fused_attention"} : std::vector<std::string>{},
      .parameters = {{"full", 12'589'056}, {"4k", 12'589'056}, {"twin", 3'168}},
      .make = [fused](const ModelOptions& options) -> std::shared_ptr<Model> {
        return std::make_shared<Attention>(fused, options);
      }};
}

const RegisterModel eager(attention("eager", false, "written out"));
const RegisterModel fused(attention("fused", true, "one kernel"));

}  // namespace
}  // namespace highwater
