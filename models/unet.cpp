// U-Net for binary masks, 3 channels to 1, with transposed convolutions, batch norms and no bias in
// the other convolutions: the layout of milesial/Pytorch-UNet, 31,037,633 parameters. Shapes:
// Ronneberger et al. 2015. Loss: binary cross entropy of each pixel's logit with its mask.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

struct Config {
  std::int64_t levels;  ///< times the image is halved
  std::int64_t width;   ///< channels before the first halving
  std::int64_t height;  ///< of the input
  std::int64_t breadth;
  std::int64_t batch;
};

const std::map<std::string, Config> kPresets = {
    {"full", {.levels = 4, .width = 64, .height = 256, .breadth = 256, .batch = 8}},
    // The size at which MONeT and DTR measured it.
    {"416x608", {.levels = 4, .width = 64, .height = 416, .breadth = 608, .batch = 11}},
    {"twin", {.levels = 2, .width = 8, .height = 32, .breadth = 32, .batch = 16}},
};

constexpr std::int64_t kColours = 3;

/// Twice convolution, batch norm and ReLU. x: [n, in, s, s] -> [n, out, s, s].
class DoubleConvolution final : public torch::nn::Module {
 public:
  DoubleConvolution(std::int64_t in, std::int64_t out, const ModelVariant& variant,
                    at::Device device)
      : relu_(relu_of(variant)) {
    const std::int64_t kernel = in == kColours ? 3 : variant.kernel_of(3);
    add({.in = in, .out = out, .kernel = kernel}, device);
    add({.in = out, .out = out, .kernel = variant.kernel_of(3)}, device);
  }

  at::Tensor forward(at::Tensor x) const {
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      x = relu_(norms_[i]->forward(convolutions_[i]->forward(x)));
    }
    return x;
  }

  std::int64_t out() const { return convolutions_.back()->shape().out; }
  Bytes weights() const {
    return convolutions_[0]->weight.numel() + convolutions_[1]->weight.numel();
  }

 private:
  void add(const ConvolutionShape& shape, at::Device device) {
    const std::string number = std::to_string(convolutions_.size());
    convolutions_.push_back(
        register_module("convolution" + number, std::make_shared<Conv2d>(shape, device)));
    norms_.push_back(
        register_module("norm" + number, std::make_shared<BatchNorm2d>(shape.out, device)));
  }

  TensorFunction relu_;
  std::vector<std::shared_ptr<Conv2d>> convolutions_;
  std::vector<std::shared_ptr<BatchNorm2d>> norms_;
};

/// Doubles the sides, joins what the way down had there: [n, 2 out, s / 2, s / 2] and
/// [n, out, s, s] -> [n, out, s, s].
class Up final : public torch::nn::Module {
 public:
  Up(std::int64_t out, const ModelVariant& variant, at::Device device) {
    upsample_ = register_module("upsample", std::make_shared<Upsample2d>(2 * out, out, device));
    convolutions_ = register_module(
        "convolutions", std::make_shared<DoubleConvolution>(2 * out, out, variant, device));
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& skip) const {
    return convolutions_->forward(at::cat({skip, upsample_->forward(x)}, 1));
  }

  std::int64_t out() const { return convolutions_->out(); }
  Bytes weights() const { return upsample_->weight.numel() + convolutions_->weights(); }

 private:
  std::shared_ptr<Upsample2d> upsample_;
  std::shared_ptr<DoubleConvolution> convolutions_;
};

/// What the way down hands over: the newest image first, then those that wait for the way up.
Tensors with_newest(at::Tensor newest, const Tensors& waiting) {
  Tensors tensors = {std::move(newest)};
  tensors.insert(tensors.end(), waiting.begin(), waiting.end());
  return tensors;
}

/// images: [batch, 3, height, breadth] -> logits: [batch, 1, height, breadth].
class UNet final : public Model {
 public:
  UNet(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    const ModelVariant& variant = options.variant;
    config_.batch = options.batch_of(config.batch);
    config_.width = variant.width_of(config.width);
    config_.levels = variant.depth_of(config.levels);
    std::int64_t in = kColours;
    for (std::int64_t level = 0; level <= config_.levels; ++level) {
      down_.push_back(register_module(
          "down" + std::to_string(level),
          std::make_shared<DoubleConvolution>(in, width_at(level), variant, device_)));
      in = width_at(level);
    }
    for (std::int64_t level = config_.levels - 1; level >= 0; --level) {
      up_.push_back(register_module("up" + std::to_string(level),
                                    std::make_shared<Up>(width_at(level), variant, device_)));
    }
    head_ = register_module(
        "head", std::make_shared<Conv2d>(
                    ConvolutionShape{.in = config_.width, .out = 1, .bias = true}, device_));
  }

  /// The images of the way down travel along until the way up takes them.
  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        link("down.0", [first = down_.front()](const at::Tensor& x) { return first->forward(x); })};
    for (std::size_t i = 1; i < down_.size(); ++i) {
      segments.push_back(
          {.name = "down." + std::to_string(i), .run = [down = down_[i]](const Tensors& x) {
             return with_newest(down->forward(max_pool_by_two(x.front())), x);
           }});
    }
    for (std::size_t i = 0; i < up_.size(); ++i) {
      segments.push_back(
          {.name = "up." + std::to_string(i), .run = [up = up_[i]](const Tensors& x) {
             return with_newest(up->forward(x.at(0), x.at(1)), {x.begin() + 2, x.end()});
           }});
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) { return head_->forward(x); }));
    return segments;
  }

  Batch example_batch() override {
    const auto floats = at::device(device_).dtype(at::kFloat);
    const at::Tensor images =
        at::randn({config_.batch, kColours, config_.height, config_.breadth}, floats);
    return {.inputs = {images},
            .targets = at::randint(2, {config_.batch, 1, config_.height, config_.breadth}, floats)};
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return at::binary_cross_entropy_with_logits(outputs.at(0), batch.targets);
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!hold(plan, kConvolutionalFields)) return std::nullopt;
    const bool plain = plan.segment_wrap == nullptr;
    const Bytes samples = last_samples(config_.batch, plan);
    const Kept kept = plain ? kept_inside() : kept_between();
    const Bytes pixels = config_.height * config_.breadth;
    // The loss keeps logits in fp32 and itself; images and masks belong to the batch.
    const Bytes per_image = kept.elements * element(plan) + kept.indices * kIndex + pixels * kFloat;
    const auto segments = static_cast<Bytes>(down_.size() + up_.size());
    return samples * per_image + kept.channels * kNormStatistics +
           (plain ? 0 : segments * checkpoint_random_state(device_)) +
           (samples * kept.copied + kept.weights + head_->weight.numel()) * weight_copy(plan) +
           kFloat;
  }

 private:
  static constexpr Bytes kIndex = sizeof(std::int64_t);

  /// Elements, pool indices and copied image elements per image; batch-norm channels and weights.
  struct Kept {
    Bytes elements = 0;
    Bytes indices = 0;
    Bytes copied = 0;
    Bytes channels = 0;
    Bytes weights = 0;
  };

  std::int64_t width_at(std::int64_t level) const { return config_.width << level; }
  Bytes pixels_at(std::int64_t level) const {
    return (config_.height >> level) * (config_.breadth >> level);
  }

  /// Two norm inputs and two ReLU outputs of each pair of convolutions; pooled images with an int64
  /// index an element; joined images.
  Kept kept_inside() const {
    Kept kept{.copied = kColours * pixels_at(0)};
    for (std::int64_t level = 0; level <= config_.levels; ++level) {
      const Bytes pairs = level < config_.levels ? 2 : 1;
      kept.elements += pairs * 4 * width_at(level) * pixels_at(level);
      kept.channels += pairs * 2 * width_at(level);
      kept.weights += down_[static_cast<std::size_t>(level)]->weights();
      if (level == config_.levels) break;
      const Bytes pooled = width_at(level) * pixels_at(level + 1);
      kept.elements += pooled + 2 * width_at(level) * pixels_at(level);
      kept.indices += pooled;
    }
    for (const auto& up : up_) kept.weights += up->weights();
    return kept;
  }

  /// The output of every segment but the head's.
  Kept kept_between() const {
    Kept kept;
    for (std::int64_t level = 0; level <= config_.levels; ++level) {
      const Bytes outputs = level < config_.levels ? 2 : 1;
      kept.elements += outputs * width_at(level) * pixels_at(level);
    }
    return kept;
  }

  Config config_;
  at::Device device_;
  std::vector<std::shared_ptr<DoubleConvolution>> down_;
  std::vector<std::shared_ptr<Up>> up_;
  std::shared_ptr<Conv2d> head_;
};

const RegisterModel registered({
    .name = "unet",
    .family = "unet",
    .summary = "U-Net with transposed convolutions, batch 8 x 3 x 256 x 256",
    .tags = {"full"},
    .needs = {"convolution"},
    .abilities = {"batch_statistics", "convolution", "kernels", "large_activations", "relu"},
    .parameters = {{"full", 31'037'633}, {"416x608", 31'037'633}, {"twin", 29'625}},
    .has_batch_statistics = true,
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<UNet>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
