// ViT-B/16 and ViT-L/16: pre-norm encoder over 16x16 patches and a class token, learned positions,
// fused attention. Shapes: Dosovitskiy et al. 2021; 86,567,656 and 304,326,632 parameters, as
// torchvision's.

#include <cmath>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/pre_norm_block.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {
namespace {

constexpr double kEps = 1e-6;

struct Config {
  std::int64_t image;  ///< height and width of the input
  std::int64_t patch;  ///< height and width of a patch
  TransformerSize size;
  std::int64_t classes;
  std::int64_t batch;

  std::int64_t patches() const { return (image / patch) * (image / patch); }
  std::int64_t tokens() const { return patches() + 1; }
  PreNormShape block() const {
    return {.width = size.width, .heads = size.heads, .eps = kEps, .causal = false, .gelu = "none"};
  }
};

constexpr Config full(TransformerSize size, std::int64_t classes = 1000) {
  return {.image = 224, .patch = 16, .size = size, .classes = classes, .batch = 32};
}

constexpr Config kBase = full({.layers = 12, .width = 768, .heads = 12});
constexpr Config kLarge = full({.layers = 24, .width = 1024, .heads = 16});
constexpr Config kLargeOfTen = full({.layers = 24, .width = 1024, .heads = 16}, 10);
constexpr Config kTwin = {.image = 32,
                          .patch = 8,
                          .size = {.layers = 2, .width = 64, .heads = 4},
                          .classes = 10,
                          .batch = 8};

constexpr std::int64_t kColours = 3;
constexpr double kDeviation = 0.02;

/// images: [n, 3, s, s] -> [n, 1 + (s / patch)^2, width]: the class token, then a linear map of
/// each patch; learned positions added.
class PatchEmbedding final : public torch::nn::Module {
 public:
  PatchEmbedding(const Config& config, at::Device device) : stride_(config.patch) {
    const std::int64_t h = config.size.width;
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

/// images: [batch, 3, image, image] -> logits: [batch, classes].
class VisionTransformer final : public Model {
 public:
  VisionTransformer(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch_of(config.batch);
    config_.size = config.size.divided(options.variant);
    const std::int64_t h = config_.size.width;
    embedding_ = register_module("embedding", std::make_shared<PatchEmbedding>(config_, device_));
    for (std::int64_t i = 0; i < config_.size.layers; ++i) {
      blocks_.push_back(register_module(
          "block" + std::to_string(i),
          std::make_shared<PreNormBlock>(config_.block(), options.variant, device_)));
    }
    norm_ = register_module("norm", std::make_shared<LayerNorm>(h, kEps, device_));
    head_ = register_module("head", std::make_shared<Linear>(h, config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        edge("embedding", [this](const at::Tensor& x) { return embedding_->forward(x); })};
    link_each(segments, "block", blocks_);
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return head_->forward(norm_->forward(x).select(1, 0));
    }));
    return segments;
  }

  Batch example_batch() override {
    return classification_batch({config_.batch, kColours, config_.image, config_.image},
                                config_.classes, device_);
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!transformer_forms_hold(plan)) return std::nullopt;
    const Bytes samples = last_samples(config_.batch, plan);
    const Bytes blocks = pre_norm_blocks(config_.size.layers, config_.block(), samples,
                                         config_.tokens(), plan, device_);
    return blocks + embedding_bytes(plan, samples) + head_bytes(plan, samples) +
           cross_entropy(samples, config_.classes, plan, device_);
  }

 private:
  /// The fp32 image belongs to the batch. A convolution keeps its weight's copy whether or not its
  /// input needs a gradient.
  Bytes embedding_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes image = kColours * config_.image * config_.image;
    const Bytes weight = config_.size.width * kColours * config_.patch * config_.patch;
    return (samples * image + weight) * weight_copy(plan);
  }

  /// The final norm's input and statistics, of all tokens. In fp32 the head reads the class token
  /// out of the norm's whole output; under autocast out of its own half copy.
  Bytes head_bytes(const StepPlan& plan, Bytes samples) const {
    using namespace closed_forms;
    const Bytes h = config_.size.width;
    const Bytes read = plan.autocast ? h * kHalf : config_.tokens() * h * resident(plan);
    const Bytes token = h * resident(plan) + norm_statistics(plan, device_);
    return samples * (config_.tokens() * token + read) + config_.classes * h * weight_copy(plan);
  }

  Config config_;
  at::Device device_;
  std::shared_ptr<PatchEmbedding> embedding_;
  std::vector<std::shared_ptr<PreNormBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

ModelDeclaration vit(const std::string& name, const std::string& size, const Config& full,
                     std::int64_t parameters, std::vector<std::string> tags) {
  return {.name = name,
          .family = "vit",
          .summary = "ViT-" + size + "/16, fused attention, batch 32 x 3 x 224 x 224",
          .tags = std::move(tags),
          .needs = {"convolution"},
          .abilities = {"attention", "fused_attention", "gelu", "large_activations", "linear"},
          .parameters = {{"full", parameters}, {"twin", 114'250}},
          .make = [full](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<VisionTransformer>(options.preset == "twin" ? kTwin : full,
                                                       options);
          }};
}

const RegisterModel base(vit("vit-b16", "B", kBase, 86'567'656, {"default", "full"}));
const RegisterModel large(vit("vit-l16", "L", kLarge, 304'326'632, {"full"}));
// For CIFAR-10, as a widely read memory recipe trains it; only suite published measures it.
const RegisterModel large_of_ten(vit("vit-l16-10", "L", kLargeOfTen, 303'311'882, {"published"}));

}  // namespace
}  // namespace highwater
