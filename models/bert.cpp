// BERT with a classification head: post-norm encoder, eager attention with dropout on
// probabilities. Shapes: Devlin et al. 2018; 109,482,240 and 335,141,888 parameters with the
// pooler, to which the head of two classes adds 2 h + 2. The head and the batch of 4 x 512 are
// those of a widely read guide's BERT-large table (Hugging Face, "Efficient training on a single
// GPU").

#include <cmath>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {
namespace {

struct Config {
  std::int64_t vocabulary;
  std::int64_t context;
  TransformerSize size;
  std::int64_t batch;
  double dropout;
};

constexpr Config full(TransformerSize size, std::int64_t batch) {
  return {.vocabulary = 30522, .context = 512, .size = size, .batch = batch, .dropout = 0.1};
}

constexpr Config kBase = full({.layers = 12, .width = 768, .heads = 12}, 8);
constexpr Config kLarge = full({.layers = 24, .width = 1024, .heads = 16}, 4);
constexpr Config kTwin = {.vocabulary = 199,
                          .context = 32,
                          .size = {.layers = 2, .width = 64, .heads = 4},
                          .batch = 4,
                          .dropout = 0.1};

constexpr std::int64_t kTypes = 2;
constexpr std::int64_t kClasses = 2;
constexpr double kDeviation = 0.02;
constexpr double kEps = 1e-12;

/// x: [batch, context, width] -> the same shape.
class Layer final : public torch::nn::Module {
 public:
  Layer(const Config& config, const ModelVariant& variant, at::Device device)
      : heads_(config.size.heads),
        dropout_(config.dropout),
        attention_wrap_(variant.attention_wrap),
        activation_wrap_(variant.activation_wrap) {
    const std::int64_t h = config.size.width;
    query_ = register_module("query", std::make_shared<Linear>(h, h, device));
    key_ = register_module("key", std::make_shared<Linear>(h, h, device));
    value_ = register_module("value", std::make_shared<Linear>(h, h, device));
    projection_ = register_module("projection", std::make_shared<Linear>(h, h, device));
    norm1_ = register_module("norm1", std::make_shared<LayerNorm>(h, kEps, device));
    expand_ = register_module("expand", std::make_shared<Linear>(h, 4 * h, device));
    contract_ = register_module("contract", std::make_shared<Linear>(4 * h, h, device));
    norm2_ = register_module("norm2", std::make_shared<LayerNorm>(h, kEps, device));
  }

  at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor y = norm1_->forward(x + dropout(attention(x), dropout_));
    return norm2_->forward(y + dropout(mlp(y), dropout_));
  }

 private:
  at::Tensor attention(const at::Tensor& x) const {
    const Tensors inputs = {split_heads(query_->forward(x)), split_heads(key_->forward(x)),
                            split_heads(value_->forward(x))};
    return projection_->forward(
        run_part(attention_wrap_.get(), "attention", inputs,
                 [this](const Tensors& t) { return attend(t[0], t[1], t[2]); }));
  }

  at::Tensor mlp(const at::Tensor& x) const {
    return run_part(activation_wrap_.get(), "gelu", {expand_->forward(x)},
                    [this](const Tensors& t) { return contract_->forward(at::gelu(t[0])); });
  }

  /// [b, t, h] -> [b, heads, t, h / heads]
  at::Tensor split_heads(const at::Tensor& x) const {
    return x.view({x.size(0), x.size(1), heads_, -1}).transpose(1, 2);
  }

  at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) const {
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(3)));
    const at::Tensor probabilities =
        dropout(at::softmax(at::matmul(query, key.transpose(2, 3)) * scale, -1), dropout_);
    const at::Tensor context = at::matmul(probabilities, value).transpose(1, 2);
    return context.reshape({query.size(0), query.size(2), -1});
  }

  std::int64_t heads_;
  double dropout_;
  std::shared_ptr<const SegmentWrap> attention_wrap_, activation_wrap_;
  std::shared_ptr<Linear> query_, key_, value_, projection_, expand_, contract_;
  std::shared_ptr<LayerNorm> norm1_, norm2_;
};

/// token ids and type ids: int64 [batch, context] -> logits: [batch, 2].
class Bert final : public Model {
 public:
  Bert(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch_of(config.batch);
    config_.dropout = options.dropout.value_or(config.dropout);
    config_.size = config.size.divided(options.variant);
    const std::int64_t h = config_.size.width;
    tokens_ = register_embedding("tokens", config_.vocabulary);
    positions_ = register_embedding("positions", config_.context);
    types_ = register_embedding("types", kTypes);
    norm_ = register_module("norm", std::make_shared<LayerNorm>(h, kEps, device_));
    for (std::int64_t i = 0; i < config_.size.layers; ++i) {
      layers_.push_back(register_module(
          "layer" + std::to_string(i), std::make_shared<Layer>(config_, options.variant, device_)));
    }
    pooler_ = register_module("pooler", std::make_shared<Linear>(h, h, device_));
    classifier_ = register_module("classifier", std::make_shared<Linear>(h, kClasses, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        {.name = "embedding",
         .run = [this](const Tensors& ids) { return Tensors{embed(ids.at(0), ids.at(1))}; },
         .recomputable = false}};
    link_each(segments, "layer", layers_);
    segments.push_back(edge("head", [this](const at::Tensor& x) { return classify(x); }));
    return segments;
  }

  Batch example_batch() override {
    const auto integers = at::device(device_).dtype(at::kLong);
    const std::vector<std::int64_t> shape = {config_.batch, config_.context};
    return {
        .inputs = {at::randint(config_.vocabulary, shape, integers), at::zeros(shape, integers)},
        .targets = at::randint(kClasses, {config_.batch}, integers)};
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!transformer_forms_hold(plan)) return std::nullopt;
    const Bytes h = config_.size.width;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes tokens = samples * config_.context;
    const Bytes masks = tokens * h * mask();
    const Bytes n = config_.size.layers;
    const Bytes layers = plan.segment_wrap == nullptr
                             ? n * layer_bytes(plan, samples)
                             : wrapped_layers(n, samples, config_.context, h, plan, device_);
    // Embedding sum with its norm; the mask on the first layer's input. In fp32 each layer's input
    // is the output of the one before, and the last one's goes to the pooler.
    const Bytes embedding = tokens * (h * resident(plan) + norm_statistics(plan, device_)) + masks;
    const Bytes last_output = plan.autocast ? 0 : tokens * h * resident(plan);
    return layers + embedding + last_output + pooler_bytes(plan, samples) +
           cross_entropy(samples, kClasses, plan, device_);
  }

 private:
  Bytes mask() const { return config_.dropout > 0 ? 1 : 0; }

  /// Of a token: two norm inputs, which autocast leaves alone; inputs of linear layers (autocast
  /// casts the layer's input once each for query, key and value); q, k, v, context 4h, GELU input
  /// and output 4h each; two bool masks; and for each head a row of attention.
  Bytes layer_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes h = config_.size.width;
    const bool recomputes_gelu = plan.variant.activation_wrap != nullptr;
    const Bytes linear_inputs = (plan.autocast ? 4 : 2) * h;
    const Bytes row = config_.size.heads * config_.context * attention_bytes(plan);
    const Bytes token = 2 * h * resident(plan) +
                        (linear_inputs + (recomputes_gelu ? 8 : 12) * h) * element(plan) +
                        2 * h * mask() + row + 2 * norm_statistics(plan, device_);
    return samples * config_.context * token +
           (recomputes_gelu ? 8 : 12) * h * h * weight_copy(plan) + wrapped_parts(plan, device_);
  }

  /// Per entry of the attention matrix: the softmax, its mask, and what the product with the values
  /// reads. Under autocast a GPU takes the softmax in fp32 and casts it for the product. Wrapped,
  /// nothing is kept.
  Bytes attention_bytes(const StepPlan& plan) const {
    using namespace closed_forms;
    if (plan.variant.attention_wrap != nullptr) return 0;
    if (plan.autocast && !device_.is_cpu()) return kFloat + mask() + kHalf;
    return element(plan) * (1 + mask()) + mask();
  }

  /// Pooler output (tanh keeps it), its mask and the masked copy; under autocast the cast input and
  /// the copies of both weights.
  Bytes pooler_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes h = config_.size.width;
    const Bytes input = plan.autocast ? kHalf : 0;
    return samples * h * (input + element(plan) * (1 + mask()) + mask()) +
           (h * h + kClasses * h) * weight_copy(plan);
  }

  std::shared_ptr<Embedding> register_embedding(const std::string& name, std::int64_t count) {
    return register_module(
        name, std::make_shared<Embedding>(count, config_.size.width, kDeviation, device_));
  }

  at::Tensor embed(const at::Tensor& ids, const at::Tensor& type_ids) const {
    const at::Tensor sum = tokens_->forward(ids) + types_->forward(type_ids) + positions_->weight;
    return dropout(norm_->forward(sum), config_.dropout);
  }

  at::Tensor classify(const at::Tensor& x) const {
    const at::Tensor pooled = at::tanh(pooler_->forward(x.select(1, 0)));
    return classifier_->forward(dropout(pooled, config_.dropout));
  }

  Config config_;
  at::Device device_;
  std::shared_ptr<Embedding> tokens_, positions_, types_;
  std::shared_ptr<LayerNorm> norm_;
  std::vector<std::shared_ptr<Layer>> layers_;
  std::shared_ptr<Linear> pooler_, classifier_;
};

ModelDeclaration bert(const std::string& size, const Config& full, std::int64_t parameters,
                      std::vector<std::string> tags) {
  return {.name = "bert-" + size,
          .family = "bert",
          .summary = "BERT-" + size + " with a 2-class head, eager attention, dropout 0.1, batch " +
                     std::to_string(full.batch) + " x 512",
          .tags = std::move(tags),
          .abilities = {"attention", "gelu", "large_activations", "linear"},
          .parameters = {{"full", parameters}, {"twin", 119'298}},
          .has_dropout = true,
          .make = [full](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<Bert>(options.preset == "twin" ? kTwin : full, options);
          }};
}

const RegisterModel base(bert("base", kBase, 109'482'240 + 2 * 768 + 2, {"full"}));
const RegisterModel large(bert("large", kLarge, 335'143'938, {"default", "full"}));

}  // namespace
}  // namespace highwater
