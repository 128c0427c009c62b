// ConvNeXt-T as in torchvision: 28,589,128 parameters. 7x7 depthwise convolutions, layer norms over
// channels that lie last, layer scale; without torchvision's stochastic depth. Shapes: Liu et al.
// 2022.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

constexpr double kEps = 1e-6;

struct Stage {
  std::int64_t blocks;
  std::int64_t width;
};

struct Config {
  std::vector<Stage> stages;
  double layer_scale;  ///< its first value
  std::int64_t image;  ///< height and width of the input
  std::int64_t classes;
  std::int64_t batch;
};

const std::map<std::string, Config> kPresets = {
    {"full",
     {.stages = {{3, 96}, {3, 192}, {9, 384}, {3, 768}},
      .layer_scale = 1e-6,
      .image = 224,
      .classes = 1000,
      .batch = 32}},
    // At a scale of 1e-6 the gradients inside a block are noise beside the head's.
    {"twin",
     {.stages = {{1, 8}, {1, 16}, {2, 32}, {1, 64}},
      .layer_scale = 1.0,
      .image = 64,
      .classes = 10,
      .batch = 8}},
};

constexpr std::int64_t kColours = 3;
constexpr std::int64_t kStemPatch = 4;

at::Tensor channels_to_end(const at::Tensor& x) { return x.permute({0, 2, 3, 1}); }
at::Tensor channels_to_front(const at::Tensor& x) { return x.permute({0, 3, 1, 2}); }

/// Normalises the channels of each pixel. x, y: [n, c, h, w], y with channels last in memory.
at::Tensor normalise(const LayerNorm& norm, const at::Tensor& x) {
  return channels_to_front(norm.forward(channels_to_end(x)));
}

/// x: [n, c, s, s] -> [n, c, s, s].
class Block final : public torch::nn::Module {
 public:
  Block(std::int64_t c, const Config& config, const ModelVariant& variant, at::Device device)
      : activation_wrap_(variant.activation_wrap) {
    depthwise_ = register_module(
        "depthwise",
        std::make_shared<Conv2d>(
            ConvolutionShape{
                .in = c, .out = c, .kernel = variant.kernel_of(7), .groups = c, .bias = true},
            device));
    norm_ = register_module("norm", std::make_shared<LayerNorm>(c, kEps, device));
    expand_ = register_module("expand", std::make_shared<Linear>(c, 4 * c, device));
    contract_ = register_module("contract", std::make_shared<Linear>(4 * c, c, device));
    layer_scale_ = register_parameter("layer_scale",
                                      at::full({c, 1, 1}, config.layer_scale, at::device(device)));
  }

  at::Tensor forward(const at::Tensor& x) const {
    const at::Tensor y = expand_->forward(norm_->forward(channels_to_end(depthwise_->forward(x))));
    const at::Tensor z = run_part(
        activation_wrap_.get(), "activation", {y},
        [this](const Tensors& inner) { return contract_->forward(at::gelu(inner.at(0))); });
    return layer_scale_ * channels_to_front(z) + x;
  }

  Bytes weights() const {
    return depthwise_->weight.numel() + expand_->weight.numel() + contract_->weight.numel();
  }

 private:
  std::shared_ptr<const SegmentWrap> activation_wrap_;
  std::shared_ptr<Conv2d> depthwise_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> expand_, contract_;
  at::Tensor layer_scale_;
};

/// Norm, then half the sides and other channels: [n, in, s, s] -> [n, out, s / 2, s / 2].
class Downsample final : public torch::nn::Module {
 public:
  Downsample(std::int64_t in, std::int64_t out, at::Device device) {
    norm_ = register_module("norm", std::make_shared<LayerNorm>(in, kEps, device));
    convolution_ = register_module(
        "convolution",
        std::make_shared<Conv2d>(
            ConvolutionShape{.in = in, .out = out, .kernel = 2, .stride = 2, .bias = true},
            device));
  }

  at::Tensor forward(const at::Tensor& x) const {
    return convolution_->forward(normalise(*norm_, x));
  }

  Bytes weights() const { return convolution_->weight.numel(); }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Conv2d> convolution_;
};

/// images: [batch, 3, image, image] -> logits: [batch, classes].
class ConvNeXt final : public Model {
 public:
  ConvNeXt(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch_of(config.batch);
    for (Stage& stage : config_.stages) {
      stage.blocks = options.variant.depth_of(stage.blocks);
      stage.width = options.variant.width_of(stage.width);
    }
    const std::int64_t first = config_.stages.front().width;
    const std::int64_t last = config_.stages.back().width;
    stem_ = register_module("stem", std::make_shared<Conv2d>(ConvolutionShape{.in = kColours,
                                                                              .out = first,
                                                                              .kernel = kStemPatch,
                                                                              .stride = kStemPatch,
                                                                              .bias = true},
                                                             device_));
    stem_norm_ = register_module("stem_norm", std::make_shared<LayerNorm>(first, kEps, device_));
    for (std::size_t i = 0; i < config_.stages.size(); ++i) add_stage(i, options.variant);
    norm_ = register_module("norm", std::make_shared<LayerNorm>(last, kEps, device_));
    head_ = register_module("head", std::make_shared<Linear>(last, config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {edge(
        "stem", [this](const at::Tensor& x) { return normalise(*stem_norm_, stem_->forward(x)); })};
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      const std::string name = "stage." + std::to_string(stage);
      if (stage > 0) {
        segments.push_back(edge(
            name + ".downsample",
            [down = downsamples_[stage - 1]](const at::Tensor& x) { return down->forward(x); }));
      }
      link_each(segments, name + ".block", stages_[stage]);
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return head_->forward(normalise(*norm_, at::adaptive_avg_pool2d(x, {1, 1})).flatten(1));
    }));
    return segments;
  }

  Batch example_batch() override {
    return classification_batch({config_.batch, kColours, config_.image, config_.image},
                                config_.classes, device_);
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!hold(plan, kConvolutionalFields)) return std::nullopt;
    const Bytes samples = last_samples(config_.batch, plan);
    Bytes per_image = ends_per_image(plan);
    Bytes weights = stem_->weight.numel() + head_->weight.numel();
    Bytes random = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      per_image += stage_per_image(i, plan);
      if (i > 0) weights += downsamples_[i - 1]->weights();
      for (const auto& block : stages_[i]) {
        weights += plan.segment_wrap ? 0 : block->weights();
        random += plan.segment_wrap ? checkpoint_random_state(device_) : 0;
      }
    }
    return samples * per_image + weights * weight_copy(plan) + random +
           cross_entropy(samples, config_.classes, plan, device_);
  }

 private:
  Bytes pixels_at(std::size_t stage) const {
    const Bytes side = config_.image / kStemPatch >> stage;
    return side * side;
  }

  /// A norm that reads a convolution's 16 bits under autocast: a GPU casts them to fp32 first.
  Bytes norm_element(const StepPlan& plan) const {
    return device_.is_cpu() ? closed_forms::element(plan) : closed_forms::kFloat;
  }

  /// Stem and head: inputs and statistics of their norms, and what the head reads. The fp32 image
  /// belongs to the batch.
  Bytes ends_per_image(const StepPlan& plan) const {
    using namespace closed_forms;
    const Bytes image = kColours * config_.image * config_.image;
    const Bytes last = config_.stages.back().width;
    return image * weight_copy(plan) +
           pixels_at(0) * (config_.stages.front().width * norm_element(plan) + kNormStatistics) +
           last * (kFloat + element(plan)) + kNormStatistics;
  }

  /// The blocks of a stage and the downsampling before it, whose norm reads the sum of the last
  /// block, fp32 always.
  Bytes stage_per_image(std::size_t stage, const StepPlan& plan) const {
    using namespace closed_forms;
    Bytes bytes = 0;
    if (stage > 0) {
      const Bytes before = config_.stages[stage - 1].width;
      bytes += pixels_at(stage - 1) * (before * (kFloat + element(plan)) + kNormStatistics);
    }
    const Bytes width = config_.stages[stage].width;
    const auto blocks = static_cast<Bytes>(stages_[stage].size());
    if (plan.segment_wrap != nullptr) {
      // The first block's input comes from a norm or a convolution, the others' from sums.
      const Bytes first = stage == 0 ? norm_element(plan) : element(plan);
      return bytes + pixels_at(stage) * width * (first + (blocks - 1) * kFloat);
    }
    // Inputs of the depthwise convolution and of both linear layers c + c + 4c, GELU's 4c, what the
    // scale multiplies c; the norm's input c and statistics.
    const Bytes pixel = width * (11 * element(plan) + norm_element(plan)) + kNormStatistics;
    return bytes + pixels_at(stage) * blocks * pixel;
  }

  void add_stage(std::size_t index, const ModelVariant& variant) {
    const Stage& stage = config_.stages[index];
    const std::string name = "stage" + std::to_string(index);
    if (index > 0) {
      const std::int64_t before = config_.stages[index - 1].width;
      downsamples_.push_back(register_module(
          name + "_downsample", std::make_shared<Downsample>(before, stage.width, device_)));
    }
    std::vector<std::shared_ptr<Block>>& blocks = stages_.emplace_back();
    for (std::int64_t i = 0; i < stage.blocks; ++i) {
      blocks.push_back(
          register_module(name + "_block" + std::to_string(i),
                          std::make_shared<Block>(stage.width, config_, variant, device_)));
    }
  }

  Config config_;
  at::Device device_;
  std::shared_ptr<Conv2d> stem_;
  std::shared_ptr<LayerNorm> stem_norm_;
  std::vector<std::vector<std::shared_ptr<Block>>> stages_;
  std::vector<std::shared_ptr<Downsample>> downsamples_;  ///< before every stage but the first
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

const RegisterModel registered({
    .name = "convnext-tiny",
    .family = "convnext",
    .summary = "ConvNeXt-T, batch 32 x 3 x 224 x 224",
    .tags = {"full"},
    .needs = {"convolution"},
    .abilities = {"convolution", "gelu", "kernels", "large_activations", "linear"},
    .parameters = {{"full", 28'589'128}, {"twin", 72'690}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<ConvNeXt>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
