// GPT-2: pre-norm decoder, learned positions, tied output embedding, fused attention.
// Shapes and counts: Radford et al. 2019; Vh + Th + L(12h^2 + 13h) + 2h parameters.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

struct Config {
  std::int64_t vocabulary;
  std::int64_t context;
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t batch;
};

const std::map<std::string, Config> kPresets = {
    {"full",
     {.vocabulary = 50257, .context = 1024, .layers = 12, .width = 768, .heads = 12, .batch = 8}},
    {"twin", {.vocabulary = 199, .context = 32, .layers = 2, .width = 64, .heads = 4, .batch = 4}},
};

constexpr double kDeviation = 0.02;
constexpr double kEps = 1e-5;

/// x: [batch, context, width] -> the same shape.
class Block final : public torch::nn::Module {
 public:
  Block(const Config& config, at::Device device) : heads_(config.heads) {
    const std::int64_t h = config.width;
    norm1_ = register_module("norm1", std::make_shared<LayerNorm>(h, kEps, device));
    qkv_ = register_module("qkv", std::make_shared<Linear>(h, 3 * h, device));
    projection_ = register_module("projection", std::make_shared<Linear>(h, h, device));
    norm2_ = register_module("norm2", std::make_shared<LayerNorm>(h, kEps, device));
    expand_ = register_module("expand", std::make_shared<Linear>(h, 4 * h, device));
    contract_ = register_module("contract", std::make_shared<Linear>(4 * h, h, device));
  }

  at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor y = x + projection_->forward(attend(qkv_->forward(norm1_->forward(x))));
    return y + contract_->forward(at::gelu(expand_->forward(norm2_->forward(y)), "tanh"));
  }

 private:
  /// qkv: [b, t, 3h] -> [b, t, h], causal.
  at::Tensor attend(const at::Tensor& qkv) const {
    const std::int64_t b = qkv.size(0);
    const std::int64_t t = qkv.size(1);
    const std::vector<at::Tensor> parts =
        qkv.view({b, t, 3 * heads_, -1}).transpose(1, 2).chunk(3, 1);
    const at::Tensor context = at::scaled_dot_product_attention(
        parts[0], parts[1], parts[2], /*attn_mask=*/{}, /*dropout_p=*/0.0, /*is_causal=*/true);
    return context.transpose(1, 2).reshape({b, t, -1});
  }

  std::int64_t heads_;
  std::shared_ptr<LayerNorm> norm1_, norm2_;
  std::shared_ptr<Linear> qkv_, projection_, expand_, contract_;
};

/// ids: int64 [batch, context] -> logits: [batch * context, vocabulary].
class Gpt2 final : public Model {
 public:
  Gpt2(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch.value_or(config.batch);
    tokens_ = register_module(
        "tokens",
        std::make_shared<Embedding>(config_.vocabulary, config_.width, kDeviation, device_));
    positions_ = register_module(
        "positions",
        std::make_shared<Embedding>(config_.context, config_.width, kDeviation, device_));
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      blocks_.push_back(
          register_module("block" + std::to_string(i), std::make_shared<Block>(config_, device_)));
    }
    norm_ = register_module("norm", std::make_shared<LayerNorm>(config_.width, kEps, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {edge("embedding", [this](const at::Tensor& ids) {
      return tokens_->forward(ids) + positions_->weight;
    })};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      segments.push_back(
          link("block." + std::to_string(i),
               [block = blocks_[i]](const at::Tensor& x) { return block->forward(x); }));
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return at::linear(norm_->forward(x), tokens_->weight).flatten(0, 1);
    }));
    return segments;
  }

  Batch example_batch() override {
    const auto ids = [this] {
      return at::randint(config_.vocabulary, {config_.batch, config_.context},
                         at::device(device_).dtype(at::kLong));
    };
    return {.inputs = {ids()}, .targets = ids()};
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return at::cross_entropy_loss(outputs.at(0), batch.targets.flatten());
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!hold(plan)) return std::nullopt;
    const bool plain = plan.segment_wrap == nullptr;
    const Bytes h = config_.width;
    const Bytes e = element(plan);
    const Bytes tokens = last_samples(config_.batch, plan) * config_.context;
    // Per token: two norm inputs, in fp32 always; norm outputs 2h, q, k, v 3h, attention output h,
    // GELU input and output 8h; a log-sum-exp per head; two pairs of norm statistics.
    const Bytes inside = 2 * h * kFloat + 14 * h * e + config_.heads * kFloat + 2 * kNormStatistics;
    const Bytes block = plain ? tokens * inside + 12 * h * h * weight_copy(plan)
                              : tokens * h * kFloat + checkpoint_random_state(device_);
    const Bytes head = tokens * (h * kFloat + h * e + kNormStatistics) +
                       config_.vocabulary * h * weight_copy(plan);
    return config_.layers * block + head + cross_entropy(tokens, config_.vocabulary, plan, device_);
  }

 private:
  Config config_;
  at::Device device_;
  std::shared_ptr<Embedding> tokens_, positions_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
};

const RegisterModel registered({
    .name = "gpt2-small",
    .summary = "GPT-2 small, tied embedding, fused attention, batch 8 x 1024",
    .tags = {"default", "smoke"},
    .parameters = {{"full", 124'439'808}, {"twin", 114'880}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<Gpt2>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
