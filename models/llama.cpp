// Llama: pre-norm decoder with RMSNorm, rotary positions, SwiGLU, grouped key-value heads, no
// biases, tied output embedding. Shapes: Llama 3.2 1B, Grattafiori et al. 2024; per layer
// 2 d^2 + 2 d kv + 3 d f + 2 d parameters, V d + d around them.

#include <cmath>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/token_loss.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {
namespace {

constexpr double kEps = 1e-5;
constexpr double kRotaryBase = 500'000;
constexpr double kDeviation = 0.02;

struct Config {
  std::int64_t vocabulary;
  std::int64_t context;
  TransformerSize size;
  std::int64_t heads_per_group;  ///< heads of queries that share one head of keys and values
  std::int64_t hidden_widths;    ///< width of the SwiGLU layer, in widths
  std::int64_t batch;

  std::int64_t head_width() const { return size.width / size.heads; }
  std::int64_t groups() const { return std::max<std::int64_t>(1, size.heads / heads_per_group); }
  std::int64_t kv_width() const { return groups() * head_width(); }
  std::int64_t hidden() const { return hidden_widths * size.width; }
};

const std::map<std::string, Config> kPresets = {
    {"full",
     {.vocabulary = 128256,
      .context = 1024,
      .size = {.layers = 16, .width = 2048, .heads = 32},
      .heads_per_group = 4,
      .hidden_widths = 4,
      .batch = 4}},
    {"twin",
     {.vocabulary = 199,
      .context = 32,
      .size = {.layers = 2, .width = 64, .heads = 4},
      .heads_per_group = 2,
      .hidden_widths = 4,
      .batch = 4}},
};

/// x / rms(x), times a weight; statistics in fp32.
class RmsNorm final : public ScopedModule {
 public:
  RmsNorm(std::int64_t width, at::Device device) {
    weight_ = register_parameter("weight", at::ones({width}, at::device(device)));
  }
  at::Tensor forward(const at::Tensor& x) const {
    const ModuleScope here = scope();
    return at::rms_norm(x, {weight_.size(0)}, weight_, kEps);
  }

 private:
  at::Tensor weight_;
};

/// Turns pairs of a head's elements by angles that grow with the position (Su et al. 2021). The
/// pairs lie half a head apart, as in the published weights.
class Rotary final : public torch::nn::Module {
 public:
  Rotary(std::int64_t context, std::int64_t head_width, at::Device device) {
    const auto floats = at::device(device).dtype(at::kFloat);
    const at::Tensor exponents = at::arange(0, head_width, 2, floats) / head_width;
    const at::Tensor frequencies = at::pow(kRotaryBase, exponents).reciprocal();
    const at::Tensor angles = at::outer(at::arange(context, floats), frequencies).repeat({1, 2});
    cosines_ = register_buffer("cosines", angles.cos());
    sines_ = register_buffer("sines", angles.sin());
  }

  /// x: [batch, heads, tokens, d] -> the same shape; in fp32 under autocast too.
  at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor wide = x.to(cosines_.scalar_type());
    const std::vector<at::Tensor> halves = wide.chunk(2, -1);
    return (wide * cosines_ + at::cat({-halves[1], halves[0]}, -1) * sines_).to(x.scalar_type());
  }

 private:
  at::Tensor cosines_, sines_;  ///< [context, d]
};

/// x: [batch, tokens, width] -> the same shape.
class Block final : public torch::nn::Module {
 public:
  Block(const Config& config, std::shared_ptr<Rotary> rotary, const ModelVariant& variant,
        at::Device device)
      : head_width_(config.head_width()),
        rotary_(std::move(rotary)),
        attention_wrap_(variant.attention_wrap),
        activation_wrap_(variant.activation_wrap) {
    const std::int64_t d = config.size.width;
    const auto linear = [&](const char* name, std::int64_t in, std::int64_t out) {
      return register_module(name, std::make_shared<Linear>(in, out, device, /*has_bias=*/false));
    };
    norm1_ = register_module("norm1", std::make_shared<RmsNorm>(d, device));
    query_ = linear("query", d, d);
    key_ = linear("key", d, config.kv_width());
    value_ = linear("value", d, config.kv_width());
    projection_ = linear("projection", d, d);
    norm2_ = register_module("norm2", std::make_shared<RmsNorm>(d, device));
    gate_ = linear("gate", d, config.hidden());
    up_ = linear("up", d, config.hidden());
    down_ = linear("down", config.hidden(), d);
  }

  at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor y = x + attention(norm1_->forward(x));
    return y + mlp(norm2_->forward(y));
  }

 private:
  at::Tensor attention(const at::Tensor& x) const {
    const Tensors inputs = {rotary_->forward(split_heads(query_->forward(x))),
                            rotary_->forward(split_heads(key_->forward(x))),
                            split_heads(value_->forward(x))};
    return projection_->forward(
        run_part(attention_wrap_.get(), "attention", inputs,
                 [](const Tensors& t) { return attend(t[0], t[1], t[2], /*causal=*/true); }));
  }

  at::Tensor mlp(const at::Tensor& x) const {
    return run_part(activation_wrap_.get(), "swiglu", {gate_->forward(x), up_->forward(x)},
                    [this](const Tensors& t) { return down_->forward(at::silu(t[0]) * t[1]); });
  }

  /// [b, t, heads d] -> [b, heads, t, d]
  at::Tensor split_heads(const at::Tensor& x) const {
    return x.view({x.size(0), x.size(1), -1, head_width_}).transpose(1, 2);
  }

  std::int64_t head_width_;
  std::shared_ptr<Rotary> rotary_;
  std::shared_ptr<const SegmentWrap> attention_wrap_, activation_wrap_;
  std::shared_ptr<RmsNorm> norm1_, norm2_;
  std::shared_ptr<Linear> query_, key_, value_, projection_, gate_, up_, down_;
};

/// ids: int64 [batch, context] -> logits: [batch * context, vocabulary].
class Llama final : public Model {
 public:
  Llama(const Config& config, const ModelOptions& options)
      : config_(config),
        device_(options.device),
        token_loss_([this](const at::Tensor& x) { return at::linear(x, tokens_->weight); },
                    options.variant.loss_chunks) {
    config_.batch = options.batch_of(config.batch);
    config_.size = config.size.divided(options.variant);
    const std::int64_t d = config_.size.width;
    tokens_ = register_module(
        "tokens", std::make_shared<Embedding>(config_.vocabulary, d, kDeviation, device_));
    const auto rotary = register_module(
        "rotary", std::make_shared<Rotary>(config_.context, config_.head_width(), device_));
    for (std::int64_t i = 0; i < config_.size.layers; ++i) {
      blocks_.push_back(
          register_module("block" + std::to_string(i),
                          std::make_shared<Block>(config_, rotary, options.variant, device_)));
    }
    norm_ = register_module("norm", std::make_shared<RmsNorm>(d, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        edge("embedding", [this](const at::Tensor& ids) { return tokens_->forward(ids); })};
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
    if (device_.is_cpu() && plan.dtype != at::kFloat) return std::nullopt;
    // A single group of keys and values is expanded without a copy of both; the form of that is not
    // known.
    if (config_.groups() == 1) return std::nullopt;
    const Bytes d = config_.size.width;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes tokens = samples * config_.context;
    const Bytes n = config_.size.layers;
    const Bytes blocks = plan.segment_wrap == nullptr
                             ? n * block_bytes(plan, samples)
                             : wrapped_layers(n, samples, config_.context, d, plan, device_);
    return blocks + tokens * norm_bytes(plan) +
           token_loss(tokens, d, config_.vocabulary, plan, device_);
  }

 private:
  /// What a norm keeps of a token: its input and the reciprocal rms. The CPU has no kernel for it
  /// and keeps the normalised token too, before the weight.
  Bytes norm_bytes(const StepPlan& plan) const {
    using namespace closed_forms;
    const Bytes inputs = device_.is_cpu() ? 2 : 1;
    return inputs * config_.size.width * resident(plan) + kFloat;
  }

  /// Of a token: two norms; inputs of linear layers, which autocast casts once for each layer;
  /// query and context; keys and values, repeated for every head unless attention is recomputed
  /// from the grouped ones; gate and up, and unless recomputed silu(gate) and the product.
  Bytes block_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes d = config_.size.width;
    const Bytes kv = config_.kv_width();
    const Bytes hidden = config_.hidden();
    const bool groups = plan.variant.attention_wrap != nullptr;
    const bool recomputes_silu = plan.variant.activation_wrap != nullptr;
    const Bytes linear_inputs = (plan.autocast ? 3 + 2 : 1 + 1) * d;
    const Bytes elements =
        linear_inputs + 2 * d + 2 * (groups ? kv : d) + (recomputes_silu ? 2 : 4) * hidden;
    const Bytes weights = 2 * d * d + 2 * d * kv + (recomputes_silu ? 2 : 3) * d * hidden;
    return samples * config_.context * (2 * norm_bytes(plan) + elements * element(plan)) +
           attention_core(samples, config_.size.heads, config_.context, plan, device_) +
           weights * weight_copy(plan) + wrapped_parts(plan, device_);
  }

  Config config_;
  at::Device device_;
  TokenLoss token_loss_;
  std::shared_ptr<Embedding> tokens_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<RmsNorm> norm_;
};

const RegisterModel registered({
    .name = "llama-1b",
    .family = "llama",
    .summary = "Llama 3.2 1B: RMSNorm, rotary positions, SwiGLU, 8 key-value heads for 32, tied "
               "embedding, batch 4 x 1024",
    .tags = {"full"},
    .abilities = {"attention", "fused_attention", "large_activations", "linear", "silu",
                  "token_loss"},
    .parameters = {{"full", 1'235'814'400}, {"twin", 135'936}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<Llama>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
