// GPT-2: pre-norm decoder, learned positions, tied output embedding, fused attention.
// Shapes and counts: Radford et al. 2019; Vh + Th + L(12h^2 + 13h) + 2h parameters.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/pre_norm_block.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/token_loss.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {
namespace {

constexpr double kEps = 1e-5;

struct Config {
  std::int64_t vocabulary;
  std::int64_t context;
  TransformerSize size;
  std::int64_t batch;

  PreNormShape block() const {
    return {.width = size.width, .heads = size.heads, .eps = kEps, .causal = true, .gelu = "tanh"};
  }
};

constexpr Config full(TransformerSize size, std::int64_t batch) {
  return {.vocabulary = 50257, .context = 1024, .size = size, .batch = batch};
}

constexpr Config kSmall = full({.layers = 12, .width = 768, .heads = 12}, 8);
constexpr Config kMedium = full({.layers = 24, .width = 1024, .heads = 16}, 8);
constexpr Config kXl = full({.layers = 48, .width = 1600, .heads = 25}, 4);
constexpr Config kTwin = {
    .vocabulary = 199, .context = 32, .size = {.layers = 2, .width = 64, .heads = 4}, .batch = 4};

constexpr double kDeviation = 0.02;

/// ids: int64 [batch, context] -> logits: [batch * context, vocabulary].
class Gpt2 final : public Model {
 public:
  Gpt2(const Config& config, const ModelOptions& options)
      : config_(config),
        device_(options.device),
        token_loss_([this](const at::Tensor& x) { return at::linear(x, tokens_->weight); },
                    options.variant.loss_chunks) {
    config_.batch = options.batch_of(config.batch);
    config_.size = config.size.divided(options.variant);
    const std::int64_t h = config_.size.width;
    tokens_ = register_module(
        "tokens", std::make_shared<Embedding>(config_.vocabulary, h, kDeviation, device_));
    positions_ = register_module(
        "positions", std::make_shared<Embedding>(config_.context, h, kDeviation, device_));
    for (std::int64_t i = 0; i < config_.size.layers; ++i) {
      blocks_.push_back(register_module(
          "block" + std::to_string(i),
          std::make_shared<PreNormBlock>(config_.block(), options.variant, device_)));
    }
    norm_ = register_module("norm", std::make_shared<LayerNorm>(h, kEps, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {edge("embedding", [this](const at::Tensor& ids) {
      return tokens_->forward(ids) + positions_->weight;
    })};
    link_each(segments, "block", blocks_);
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return token_loss_.outputs(norm_->forward(x).flatten(0, 1));
    }));
    return segments;
  }

  Batch example_batch() override {
    return token_batch(config_.vocabulary, config_.batch, config_.context, device_);
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return token_loss_.loss(outputs.at(0), batch.targets.flatten());
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!transformer_forms_hold(plan)) return std::nullopt;
    const Bytes h = config_.size.width;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes tokens = samples * config_.context;
    const Bytes blocks = pre_norm_blocks(config_.size.layers, config_.block(), samples,
                                         config_.context, plan, device_);
    const Bytes norm = tokens * (h * resident(plan) + norm_statistics(plan, device_));
    return blocks + norm + token_loss(tokens, h, config_.vocabulary, plan, device_);
  }

 private:
  Config config_;
  at::Device device_;
  TokenLoss token_loss_;
  std::shared_ptr<Embedding> tokens_, positions_;
  std::vector<std::shared_ptr<PreNormBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
};

ModelDeclaration gpt2(const std::string& size, const Config& full, std::int64_t parameters,
                      std::vector<std::string> tags) {
  return {.name = "gpt2-" + size,
          .family = "gpt2",
          .summary = "GPT-2 " + size + ", tied embedding, fused attention, batch " +
                     std::to_string(full.batch) + " x 1024",
          .tags = std::move(tags),
          .abilities = {"attention", "fused_attention", "gelu", "large_activations", "linear",
                        "token_loss"},
          .parameters = {{"full", parameters}, {"twin", 114'880}},
          .make = [full](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<Gpt2>(options.preset == "twin" ? kTwin : full, options);
          }};
}

const RegisterModel small(gpt2("small", kSmall, 124'439'808, {"default", "smoke", "full"}));
const RegisterModel medium(gpt2("medium", kMedium, 354'823'168, {"full"}));
const RegisterModel xl(gpt2("xl", kXl, 1'557'611'200, {"full"}));

}  // namespace
}  // namespace highwater
