// LSTM language model on WikiText-2 as in pytorch/examples (word_language_model): embedding, two
// LSTM layers, output layer, dropout 0.2 between them; Zaremba et al. 2014. Per layer
// 4 H (I + H) + 8 H parameters, V H + V for the output layer; tied (Press and Wolf 2017), V of
// them.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/handed_on_state.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/lstm_layer.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/token_loss.hpp"

namespace highwater {
namespace {

struct Config {
  std::int64_t vocabulary;
  std::int64_t context;
  std::int64_t layers;
  std::int64_t width;
  std::int64_t batch;
  double dropout;
  bool tied;  ///< the output layer's weight is the embedding's
};

constexpr Config full(bool tied) {
  return {.vocabulary = 33278,
          .context = 35,
          .layers = 2,
          .width = 650,
          .batch = 20,
          .dropout = 0.2,
          .tied = tied};
}

constexpr Config twin(bool tied) {
  return {.vocabulary = 199,
          .context = 8,
          .layers = 2,
          .width = 32,
          .batch = 4,
          .dropout = 0.2,
          .tied = tied};
}

constexpr double kDeviation = 0.1;

/// ids: int64 [batch, context] -> logits: [context * batch, vocabulary].
class LstmLanguageModel final : public Model, public HandsOnState {
 public:
  LstmLanguageModel(const Config& config, const ModelOptions& options)
      : config_(config),
        device_(options.device),
        token_loss_([this](const at::Tensor& x) { return logits(x); },
                    options.variant.loss_chunks) {
    config_.batch = options.batch_of(config.batch);
    config_.dropout = options.dropout.value_or(config.dropout);
    config_.width = config.width / options.variant.width_divisor;
    config_.layers = std::max<std::int64_t>(1, config.layers / options.variant.depth_divisor);
    const std::int64_t h = config_.width;
    tokens_ = register_module(
        "tokens", std::make_shared<Embedding>(config_.vocabulary, h, kDeviation, device_));
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      layers_.push_back(
          register_module("layer" + std::to_string(i),
                          std::make_shared<LstmLayer>(h, options.variant.attached_state, device_)));
    }
    if (config_.tied) {
      bias_ = register_parameter("bias", at::zeros({config_.vocabulary}, device_));
    } else {
      decoder_ =
          register_module("decoder", std::make_shared<Linear>(h, config_.vocabulary, device_));
    }
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        edge("embedding", [this](const at::Tensor& ids) { return embed(ids); })};
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      segments.push_back(link("layer." + std::to_string(i), [this, i](const at::Tensor& x) {
        return dropout(layers_[i]->forward(x, first_sample_), config_.dropout);
      }));
    }
    segments.push_back(
        edge("head", [this](const at::Tensor& x) { return token_loss_.outputs(x.flatten(0, 1)); }));
    return segments;
  }

  Batch example_batch() override {
    return token_batch(config_.vocabulary, config_.batch, config_.context, device_);
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return token_loss_.loss(outputs.at(0), batch.targets.t().flatten());
  }

  std::function<void()> remember_state() override {
    std::vector<LstmLayer::Carried> carried;
    for (const auto& layer : layers_) carried.push_back(layer->carried());
    return [this, carried] {
      for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i]->carry_on(carried[i]);
    };
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    // A validation's forward is the last one, and what it began with is kept to be put back.
    const bool trains_last = plan.loss_log == LossLog::none ||
                             plan.loss_log == LossLog::retained_graphs ||
                             plan.loss_log == LossLog::stored_outputs;
    if (!trains_last ||
        !hold(plan, {"dtype", "model.loss_chunks", "model.width_divisor", "model.depth_divisor"})) {
      return std::nullopt;
    }
    // What autocast casts, and when, was not followed further than a GPU's plain loss.
    if (plan.autocast && (device_.is_cpu() || plan.variant.loss_chunks > 1)) return std::nullopt;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes tokens = samples * config_.context;
    const Bytes mask = tokens * config_.width * (config_.dropout > 0 ? 1 : 0);
    // One sample's targets are in order as they are; others are copied.
    const Bytes targets = samples > 1 ? tokens * static_cast<Bytes>(sizeof(std::int64_t)) : 0;
    const Bytes layers = plan.segment_wrap == nullptr
                             ? config_.layers * (samples * cells_bytes(plan) + weight_bytes(plan) +
                                                 mask + retained_state(plan, samples))
                             : wrapped_inputs(plan, tokens);
    return mask + layers + targets +
           token_loss(tokens, config_.width, config_.vocabulary, plan, device_);
  }

 private:
  /// What a layer's cells keep of a sample: their input; a GPU's fused cell the gates from the
  /// input, those from the state, their activated values (4 H each) and its new cell state, the
  /// CPU's the activated gates and tanh of the cell state. All but the last keep what the next
  /// reads: its hidden state, and on the CPU its cell state.
  Bytes cells_bytes(const StepPlan& plan) const {
    const Bytes every = 1 + (device_.is_cpu() ? 4 + 1 : 3 * 4 + 1);
    const Bytes all_but_last = device_.is_cpu() ? 2 : 1;
    return (config_.context * every + (config_.context - 1) * all_but_last) * config_.width *
           closed_forms::element(plan);
  }

  /// A cell multiplies with a view of a weight, and autocast remembers casts of weights only, not
  /// of their views: every token keeps its own copy of both weights, but the first none of the
  /// state's, since the state it begins with needs no gradient. The two biases are cast once.
  Bytes weight_bytes(const StepPlan& plan) const {
    const Bytes h = config_.width;
    return ((2 * config_.context - 1) * 4 * h * h + 8 * h) * closed_forms::weight_copy(plan);
  }

  /// The state that a step began with is given back two steps later, unless a graph still holds it.
  Bytes retained_state(const StepPlan& plan, Bytes samples) const {
    const bool retained = plan.loss_log == LossLog::retained_graphs;
    return retained ? 2 * samples * config_.width * closed_forms::element(plan) : 0;
  }

  /// Inputs of all layers; the first one's comes from the embedding, which autocast leaves alone.
  Bytes wrapped_inputs(const StepPlan& plan, Bytes tokens) const {
    using namespace closed_forms;
    return tokens * config_.width * (resident(plan) + (config_.layers - 1) * element(plan)) +
           config_.layers * checkpoint_random_state(device_);
  }

  /// [batch, context] -> [context, batch, width]: recurrences run over the first dimension. Parts
  /// of a batch are views into it, which tells which part this is.
  at::Tensor embed(const at::Tensor& ids) {
    first_sample_ = ids.storage_offset() / ids.stride(0);
    return dropout(tokens_->forward(ids.t()), config_.dropout);
  }

  at::Tensor logits(const at::Tensor& x) const {
    return decoder_ ? decoder_->forward(x) : at::linear(x, tokens_->weight, bias_);
  }

  Config config_;
  at::Device device_;
  TokenLoss token_loss_;
  std::shared_ptr<Embedding> tokens_;
  std::vector<std::shared_ptr<LstmLayer>> layers_;
  std::shared_ptr<Linear> decoder_;
  at::Tensor bias_;
  std::int64_t first_sample_ = 0;
};

ModelDeclaration lstm(const std::string& name, bool tied, std::int64_t parameters,
                      std::int64_t twin_parameters, std::vector<std::string> abilities) {
  return {.name = name,
          .family = "lstm",
          .summary = std::string("LSTM language model 2 x 650, ") + (tied ? "tied" : "untied") +
                     ", LibTorch's own cells (not cuDNN's), dropout 0.2, batch 20 x 35",
          .tags = {"full"},
          .abilities = std::move(abilities),
          .parameters = {{"full", parameters}, {"twin", twin_parameters}},
          .has_dropout = true,
          .make = [tied](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<LstmLanguageModel>(
                options.preset == "twin" ? twin(tied) : full(tied), options);
          }};
}

const RegisterModel untied(lstm("lstm-lm", false, 50'065'078, 29'831,
                                {"linear", "recurrent", "token_loss"}));
const RegisterModel tied(lstm("lstm-lm-tied", true, 28'434'378, 23'463,
                              {"recurrent", "token_loss"}));

}  // namespace
}  // namespace highwater
