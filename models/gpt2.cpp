// GPT-2: pre-norm decoder, learned positions, tied output embedding, fused attention.
// Shapes and counts: Radford et al. 2019; Vh + Th + L(12h^2 + 13h) + 2h parameters.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/pre_norm_block.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

constexpr double kEps = 1e-5;

struct Config {
  std::int64_t vocabulary;
  std::int64_t context;
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t batch;

  PreNormShape block() const {
    return {.width = width, .heads = heads, .eps = kEps, .causal = true, .gelu = "tanh"};
  }
};

const std::map<std::string, Config> kPresets = {
    {"full",
     {.vocabulary = 50257, .context = 1024, .layers = 12, .width = 768, .heads = 12, .batch = 8}},
    {"twin", {.vocabulary = 199, .context = 32, .layers = 2, .width = 64, .heads = 4, .batch = 4}},
};

constexpr double kDeviation = 0.02;

/// ids: int64 [batch, context] -> logits: [batch * context, vocabulary].
class Gpt2 final : public Model {
 public:
  Gpt2(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch_of(config.batch);
    tokens_ = register_module(
        "tokens",
        std::make_shared<Embedding>(config_.vocabulary, config_.width, kDeviation, device_));
    positions_ = register_module(
        "positions",
        std::make_shared<Embedding>(config_.context, config_.width, kDeviation, device_));
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i),
                                        std::make_shared<PreNormBlock>(config_.block(), device_)));
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
    const Bytes h = config_.width;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes tokens = samples * config_.context;
    const Bytes block = pre_norm_block(config_.block(), samples, config_.context, plan, device_);
    const Bytes head = tokens * (h * kFloat + h * element(plan) + kNormStatistics) +
                       config_.vocabulary * h * weight_copy(plan);
    return config_.layers * block + head + cross_entropy(tokens, config_.vocabulary, plan, device_);
  }

 private:
  Config config_;
  at::Device device_;
  std::shared_ptr<Embedding> tokens_, positions_;
  std::vector<std::shared_ptr<PreNormBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
};

const RegisterModel registered({
    .name = "gpt2-small",
    .family = "gpt2",
    .summary = "GPT-2 small, tied embedding, fused attention, batch 8 x 1024",
    .tags = {"default", "smoke", "full"},
    .abilities = {"attention", "fused_attention", "gelu", "linear"},
    .parameters = {{"full", 124'439'808}, {"twin", 114'880}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<Gpt2>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
