// ViT-B/16: pre-norm encoder over 16x16 patches and a class token, learned positions, fused
// attention. Shapes: Dosovitskiy et al. 2021; 86,567,656 parameters, as torchvision's.

#include <cmath>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

struct Config {
  std::int64_t image;  ///< height and width of the input
  std::int64_t patch;  ///< height and width of a patch
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t classes;
  std::int64_t batch;

  std::int64_t patches() const { return (image / patch) * (image / patch); }
  std::int64_t tokens() const { return patches() + 1; }
};

const std::map<std::string, Config> kPresets = {
    {"full",
     {.image = 224,
      .patch = 16,
      .layers = 12,
      .width = 768,
      .heads = 12,
      .classes = 1000,
      .batch = 32}},
    {"twin",
     {.image = 32, .patch = 8, .layers = 2, .width = 64, .heads = 4, .classes = 10, .batch = 8}},
};

constexpr std::int64_t kColours = 3;
constexpr double kDeviation = 0.02;
constexpr double kEps = 1e-6;

/// images: [n, 3, s, s] -> [n, 1 + (s / patch)^2, width]: the class token, then a linear map of
/// each patch; learned positions added.
class PatchEmbedding final : public torch::nn::Module {
 public:
  PatchEmbedding(const Config& config, at::Device device) : stride_(config.patch) {
    const std::int64_t h = config.width;
    const std::int64_t fan_in = kColours * stride_ * stride_;
    const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
    const auto floats = at::device(device).dtype(at::kFloat);
    weight_ = register_parameter(
        "weight", at::empty({h, kColours, stride_, stride_}, floats).uniform_(-bound, bound));
    bias_ = register_parameter("bias", at::empty({h}, floats).uniform_(-bound, bound));
    class_token_ = register_parameter("class_token", at::zeros({1, 1, h}, floats));
    positions_ = register_parameter(
        "positions", at::empty({1, config.tokens(), h}, floats).normal_(0.0, kDeviation));
  }

  at::Tensor forward(const at::Tensor& images) const {
    const at::Tensor patches =
        at::conv2d(images, weight_, bias_, {stride_, stride_}).flatten(2).transpose(1, 2);
    return at::cat({class_token_.expand({images.size(0), -1, -1}), patches}, 1) + positions_;
  }

 private:
  std::int64_t stride_;
  at::Tensor weight_, bias_, class_token_, positions_;
};

/// x: [batch, tokens, width] -> the same shape.
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
    return y + contract_->forward(at::gelu(expand_->forward(norm2_->forward(y))));
  }

 private:
  /// qkv: [b, t, 3h] -> [b, t, h]
  at::Tensor attend(const at::Tensor& qkv) const {
    const std::int64_t b = qkv.size(0);
    const std::int64_t t = qkv.size(1);
    const std::vector<at::Tensor> parts =
        qkv.view({b, t, 3 * heads_, -1}).transpose(1, 2).chunk(3, 1);
    const at::Tensor context = at::scaled_dot_product_attention(parts[0], parts[1], parts[2]);
    return context.transpose(1, 2).reshape({b, t, -1});
  }

  std::int64_t heads_;
  std::shared_ptr<LayerNorm> norm1_, norm2_;
  std::shared_ptr<Linear> qkv_, projection_, expand_, contract_;
};

/// images: [batch, 3, image, image] -> logits: [batch, classes].
class VisionTransformer final : public Model {
 public:
  VisionTransformer(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch.value_or(config.batch);
    const std::int64_t h = config_.width;
    embedding_ = register_module("embedding", std::make_shared<PatchEmbedding>(config_, device_));
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      blocks_.push_back(
          register_module("block" + std::to_string(i), std::make_shared<Block>(config_, device_)));
    }
    norm_ = register_module("norm", std::make_shared<LayerNorm>(h, kEps, device_));
    head_ = register_module("head", std::make_shared<Linear>(h, config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        edge("embedding", [this](const at::Tensor& x) { return embedding_->forward(x); })};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      segments.push_back(
          link("block." + std::to_string(i),
               [block = blocks_[i]](const at::Tensor& x) { return block->forward(x); }));
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return head_->forward(norm_->forward(x).select(1, 0));
    }));
    return segments;
  }

  Batch example_batch() override {
    return classification_batch({config_.batch, kColours, config_.image, config_.image},
                                config_.classes, device_);
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return at::cross_entropy_loss(outputs.at(0), batch.targets);
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!hold(plan)) return std::nullopt;
    const bool plain = plan.segment_wrap == nullptr;
    const Bytes h = config_.width;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes tokens = samples * config_.tokens();
    const Bytes block = plain ? samples * block_bytes(plan) + 12 * h * h * weight_copy(plan)
                              : tokens * h * kFloat + checkpoint_random_state(device_);
    return config_.layers * block + embedding_bytes(plan, samples) + head_bytes(plan, samples) +
           cross_entropy(samples, config_.classes, plan, device_);
  }

 private:
  /// The fp32 image belongs to the batch. A convolution keeps its weight's copy whether or not its
  /// input needs a gradient.
  Bytes embedding_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes image = kColours * config_.image * config_.image;
    const Bytes weight = config_.width * kColours * config_.patch * config_.patch;
    return (samples * image + weight) * weight_copy(plan);
  }

  /// Per sample. Two norm inputs, in fp32 always; norm outputs 2h, q, k, v 3h, attention output h,
  /// GELU input and output 8h; two pairs of norm statistics; a log-sum-exp per head.
  Bytes block_bytes(const StepPlan& plan) const {
    using namespace closed_forms;
    const Bytes h = config_.width;
    const Bytes token = 2 * h * kFloat + 14 * h * element(plan) + 2 * kNormStatistics;
    return config_.tokens() * token + config_.heads * log_sum_exp_rows() * kFloat;
  }

  /// The memory-efficient kernel of a GPU pads a head's row to a multiple of 32.
  Bytes log_sum_exp_rows() const {
    return device_.is_cpu() ? config_.tokens() : (config_.tokens() + 31) / 32 * 32;
  }

  /// The final norm's input and statistics, of all tokens. In fp32 the head reads the class token
  /// out of the norm's whole output; under autocast out of its own half copy.
  Bytes head_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes h = config_.width;
    const Bytes read = plan.autocast ? h * kHalf : config_.tokens() * h * kFloat;
    return samples * (config_.tokens() * (h * kFloat + kNormStatistics) + read) +
           config_.classes * h * weight_copy(plan);
  }

  Config config_;
  at::Device device_;
  std::shared_ptr<PatchEmbedding> embedding_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

const RegisterModel registered({
    .name = "vit-b16",
    .summary = "ViT-B/16, fused attention, batch 32 x 3 x 224 x 224",
    .tags = {"default"},
    .needs = {"convolution"},
    .parameters = {{"full", 86'567'656}, {"twin", 114'250}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<VisionTransformer>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
