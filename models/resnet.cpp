// ResNet-18, -50 (v1.5: the stride lies on the 3x3 convolution) and -152, as in torchvision:
// 11,689,512, 25,557,032 and 60,192,808 parameters. Shapes: He et al. 2016.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

/// The convolutions of one block: two 3x3, or 1x1, 3x3 and a 1x1 of four times the width.
enum class BlockKind { basic, bottleneck };

struct Config {
  BlockKind kind;
  std::vector<std::int64_t> blocks;  ///< per stage
  std::int64_t width;                ///< channels after the stem
  std::int64_t image;                ///< height and width of the input
  std::int64_t classes;
  std::int64_t batch;
};

Config full(BlockKind kind, std::vector<std::int64_t> blocks) {
  return {.kind = kind,
          .blocks = std::move(blocks),
          .width = 64,
          .image = 224,
          .classes = 1000,
          .batch = 32};
}

Config twin(BlockKind kind, std::vector<std::int64_t> blocks, std::int64_t batch) {
  return {.kind = kind,
          .blocks = std::move(blocks),
          .width = 8,
          .image = 64,
          .classes = 10,
          .batch = batch};
}

using Presets = std::map<std::string, Config>;

const Presets kResNet18 = {{"full", full(BlockKind::basic, {2, 2, 2, 2})},
                           {"twin", twin(BlockKind::basic, {2, 1, 1, 1}, 16)}};
const Presets kResNet50 = {{"full", full(BlockKind::bottleneck, {3, 4, 6, 3})},
                           {"twin", twin(BlockKind::bottleneck, {1, 1, 1, 1}, 8)}};
const Presets kResNet152 = {{"full", full(BlockKind::bottleneck, {3, 8, 36, 3})},
                            {"twin", twin(BlockKind::bottleneck, {2, 1, 1, 1}, 16)}};

constexpr std::int64_t kExpansion = 4;
constexpr std::int64_t kColours = 3;

std::vector<ConvolutionShape> shapes_of_block(BlockKind kind, std::int64_t in, std::int64_t width,
                                              std::int64_t stride, std::int64_t kernel) {
  if (kind == BlockKind::basic) {
    return {{.in = in, .out = width, .kernel = kernel, .stride = stride},
            {.in = width, .out = width, .kernel = kernel}};
  }
  return {{.in = in, .out = width},
          {.in = width, .out = width, .kernel = kernel, .stride = stride},
          {.in = width, .out = width * kExpansion}};
}

/// What a stretch of the network keeps for backward: elements per image, batch-norm channels, and
/// convolution weights, of which autocast makes copies.
struct Kept {
  Bytes elements = 0;
  Bytes channels = 0;
  Bytes weights = 0;

  Kept& operator+=(const Kept& other) {
    elements += other.elements;
    channels += other.channels;
    weights += other.weights;
    return *this;
  }
};

/// A convolution and the batch norm that reads it.
struct NormedConvolution final : public torch::nn::Module {
  NormedConvolution(const ConvolutionShape& shape, at::Device device)
      : convolution(register_module("convolution", std::make_shared<Conv2d>(shape, device))),
        norm(register_module("norm", std::make_shared<BatchNorm2d>(shape.out, device))) {}

  const ConvolutionShape& shape() const { return convolution->shape(); }

  /// The norm's input and `outputs` more tensors of its size, for an output of `side`.
  Kept kept(Bytes side, Bytes outputs) const {
    return {.elements = (1 + outputs) * shape().out * side * side,
            .channels = shape().out,
            .weights = convolution->weight.numel()};
  }

  std::shared_ptr<Conv2d> convolution;
  std::shared_ptr<BatchNorm2d> norm;
};

/// x: [n, in, s, s] -> [n, out, s / stride, s / stride].
class Block final : public torch::nn::Module {
 public:
  Block(const std::vector<ConvolutionShape>& shapes, TensorFunction relu, at::Device device)
      : relu_(std::move(relu)) {
    for (const ConvolutionShape& shape : shapes) {
      stride_ *= shape.stride;
      layers_.push_back(register_module("layer" + std::to_string(layers_.size()),
                                        std::make_shared<NormedConvolution>(shape, device)));
    }
    const std::int64_t in = shapes.front().in;
    if (in == out() && stride_ == 1) return;
    shortcut_ = register_module(
        "shortcut",
        std::make_shared<NormedConvolution>(
            ConvolutionShape{.in = in, .out = out(), .kernel = 1, .stride = stride_}, device));
  }

  at::Tensor forward(const at::Tensor& x) const {
    at::Tensor y = x;
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      y = relu_(layers_[i]->norm->forward(layers_[i]->convolution->forward(y)));
    }
    y = layers_.back()->norm->forward(layers_.back()->convolution->forward(y));
    return relu_(y +
                 (shortcut_ ? shortcut_->norm->forward(shortcut_->convolution->forward(x)) : x));
  }

  /// Norm inputs and ReLU outputs, the block's own output among them, for an input of `side`.
  Kept kept(Bytes side) const {
    Kept kept;
    for (const auto& layer : layers_) {
      side /= layer->shape().stride;
      kept += layer->kept(side, 1);
    }
    if (shortcut_) kept += shortcut_->kept(side, 0);
    return kept;
  }

  std::int64_t stride() const { return stride_; }
  std::int64_t out() const { return layers_.back()->shape().out; }

 private:
  TensorFunction relu_;
  std::int64_t stride_ = 1;
  std::vector<std::shared_ptr<NormedConvolution>> layers_;
  std::shared_ptr<NormedConvolution> shortcut_;
};

/// images: [batch, 3, image, image] -> logits: [batch, classes].
class ResNet final : public Model {
 public:
  ResNet(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device), relu_(relu_of(options.variant)) {
    config_.batch = options.batch_of(config.batch);
    config_.width = options.variant.width_of(config.width);
    stem_ = register_module(
        "stem",
        std::make_shared<NormedConvolution>(
            ConvolutionShape{.in = kColours, .out = config_.width, .kernel = 7, .stride = 2},
            device_));
    add_blocks(options.variant);
    head_ = register_module(
        "head", std::make_shared<Linear>(blocks_.back()->out(), config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        edge("stem", [this](const at::Tensor& x) { return run_stem(x); })};
    link_each(segments, "block", blocks_);
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return head_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
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
    // Stem: norm input, ReLU output and pooled output with one int64 index an element.
    Bytes side = config_.image / 2;
    const Bytes pooled = config_.width * (side / 2) * (side / 2);
    Kept kept = stem_->kept(side, 1);
    kept.elements += pooled;
    side /= 2;
    Bytes random = 0;
    for (const auto& block : blocks_) {
      const Kept inside = block->kept(side);
      side /= block->stride();
      // Checkpointed, a block keeps nothing but its input, which is the output of the one before.
      // The last one's output goes to a mean, which keeps nothing.
      const Bytes output = block == blocks_.back() ? 0 : block->out() * side * side;
      kept += plan.segment_wrap ? Kept{.elements = output} : inside;
      random += plan.segment_wrap ? checkpoint_random_state(device_) : 0;
    }
    // A batch norm reads and keeps 16 bits under autocast, and fp32 statistics. The fp32 image
    // belongs to the batch.
    const Bytes features = blocks_.back()->out();
    const Bytes image = kColours * config_.image * config_.image;
    const Bytes per_image = (kept.elements + features) * element(plan) +
                            pooled * static_cast<Bytes>(sizeof(std::int64_t)) +
                            image * weight_copy(plan);
    return samples * per_image + kept.channels * kNormStatistics + random +
           (kept.weights + config_.classes * features) * weight_copy(plan) +
           cross_entropy(samples, config_.classes, plan, device_);
  }

 private:
  void add_blocks(const ModelVariant& variant) {
    std::int64_t in = config_.width;
    for (std::size_t stage = 0; stage < config_.blocks.size(); ++stage) {
      const std::int64_t width = config_.width << stage;
      for (std::int64_t i = 0; i < variant.depth_of(config_.blocks[stage]); ++i) {
        const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
        const auto shapes = shapes_of_block(config_.kind, in, width, stride, variant.kernel_of(3));
        blocks_.push_back(register_module("block" + std::to_string(blocks_.size()),
                                          std::make_shared<Block>(shapes, relu_, device_)));
        in = blocks_.back()->out();
      }
    }
  }

  at::Tensor run_stem(const at::Tensor& x) const {
    const at::Tensor y = relu_(stem_->norm->forward(stem_->convolution->forward(x)));
    return at::max_pool2d(y, {3, 3}, {2, 2}, {1, 1});
  }

  Config config_;
  at::Device device_;
  TensorFunction relu_;
  std::shared_ptr<NormedConvolution> stem_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Linear> head_;
};

ModelDeclaration declaration(std::string name, std::string summary, const Presets& presets,
                             std::map<std::string, std::int64_t> parameters) {
  return {.name = std::move(name),
          .family = "resnet",
          .summary = std::move(summary),
          .tags = {"full"},
          .needs = {"convolution"},
          .abilities = {"batch_statistics", "convolution", "kernels", "large_activations", "relu"},
          .parameters = std::move(parameters),
          .has_batch_statistics = true,
          .make = [&presets](const ModelOptions& options) -> std::shared_ptr<Model> {
            return std::make_shared<ResNet>(presets.at(options.preset), options);
          }};
}

ModelDeclaration as_default(ModelDeclaration declaration) {
  declaration.tags.emplace_back("default");
  return declaration;
}

const RegisterModel resnet18(declaration("resnet18", "ResNet-18, batch 32 x 3 x 224 x 224",
                                         kResNet18, {{"full", 11'689'512}, {"twin", 80'146}}));
const RegisterModel resnet50(
    as_default(declaration("resnet50", "ResNet-50 v1.5, batch 32 x 3 x 224 x 224", kResNet50,
                           {{"full", 25'557'032}, {"twin", 130'962}})));
const RegisterModel resnet152(declaration("resnet152", "ResNet-152, batch 32 x 3 x 224 x 224",
                                          kResNet152, {{"full", 60'192'808}, {"twin", 132'146}}));

}  // namespace
}  // namespace highwater
