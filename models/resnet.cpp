// ResNet-50 v1.5 (the stride lies on the 3x3 convolution), as in torchvision: 25,557,032
// parameters.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

struct Config {
  std::vector<std::int64_t> blocks;  ///< per stage
  std::int64_t width;                ///< channels after the stem
  std::int64_t image;                ///< height and width of the input
  std::int64_t classes;
  std::int64_t batch;
};

const std::map<std::string, Config> kPresets = {
    {"full", {.blocks = {3, 4, 6, 3}, .width = 64, .image = 224, .classes = 1000, .batch = 32}},
    {"twin", {.blocks = {1, 1, 1, 1}, .width = 8, .image = 64, .classes = 10, .batch = 8}},
};

constexpr std::int64_t kExpansion = 4;

constexpr std::int64_t kColours = 3;

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

/// x: [n, in, s, s] -> [n, 4 * width, s / stride, s / stride].
class Bottleneck final : public torch::nn::Module {
 public:
  Bottleneck(std::int64_t in, std::int64_t width, std::int64_t stride, at::Device device)
      : width_(width), stride_(stride), projects_(in != width * kExpansion || stride != 1) {
    const std::int64_t out = width * kExpansion;
    conv1_ = register_module("conv1", std::make_shared<Conv2d>(in, width, 1, 1, device));
    norm1_ = register_module("norm1", std::make_shared<BatchNorm2d>(width, device));
    conv2_ = register_module("conv2", std::make_shared<Conv2d>(width, width, 3, stride, device));
    norm2_ = register_module("norm2", std::make_shared<BatchNorm2d>(width, device));
    conv3_ = register_module("conv3", std::make_shared<Conv2d>(width, out, 1, 1, device));
    norm3_ = register_module("norm3", std::make_shared<BatchNorm2d>(out, device));
    if (!projects_) return;
    shortcut_ = register_module("shortcut", std::make_shared<Conv2d>(in, out, 1, stride, device));
    shortcut_norm_ = register_module("shortcut_norm", std::make_shared<BatchNorm2d>(out, device));
  }

  at::Tensor forward(const at::Tensor& x) const {
    at::Tensor y = at::relu(norm1_->forward(conv1_->forward(x)));
    y = at::relu(norm2_->forward(conv2_->forward(y)));
    y = norm3_->forward(conv3_->forward(y));
    return at::relu(y + (projects_ ? shortcut_norm_->forward(shortcut_->forward(x)) : x));
  }

  /// Norm inputs and ReLU outputs, the block's own output among them, for an input of `side`.
  Kept kept(Bytes side) const {
    const Bytes before = side * side;
    const Bytes after = before / (stride_ * stride_);
    const Bytes out = width_ * kExpansion;
    return {.elements = 2 * width_ * before + 2 * width_ * after + 2 * out * after +
                        (projects_ ? out * after : 0),
            .channels = 2 * width_ + out + (projects_ ? out : 0),
            .weights = conv1_->weight.numel() + conv2_->weight.numel() + conv3_->weight.numel() +
                       (projects_ ? shortcut_->weight.numel() : 0)};
  }

  std::int64_t stride() const { return stride_; }
  std::int64_t out() const { return width_ * kExpansion; }

 private:
  std::int64_t width_;
  std::int64_t stride_;
  bool projects_;
  std::shared_ptr<Conv2d> conv1_, conv2_, conv3_, shortcut_;
  std::shared_ptr<BatchNorm2d> norm1_, norm2_, norm3_, shortcut_norm_;
};

/// images: [batch, 3, image, image] -> logits: [batch, classes].
class ResNet final : public Model {
 public:
  ResNet(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch_of(config.batch);
    stem_ =
        register_module("stem", std::make_shared<Conv2d>(kColours, config_.width, 7, 2, device_));
    stem_norm_ =
        register_module("stem_norm", std::make_shared<BatchNorm2d>(config_.width, device_));
    std::int64_t in = config_.width;
    for (std::size_t stage = 0; stage < config_.blocks.size(); ++stage) {
      const std::int64_t width = config_.width << stage;
      for (std::int64_t i = 0; i < config_.blocks[stage]; ++i) {
        const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
        blocks_.push_back(
            register_module("block" + std::to_string(blocks_.size()),
                            std::make_shared<Bottleneck>(in, width, stride, device_)));
        in = width * kExpansion;
      }
    }
    head_ = register_module("head", std::make_shared<Linear>(in, config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments = {
        edge("stem", [this](const at::Tensor& x) { return run_stem(x); })};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      segments.push_back(
          link("block." + std::to_string(i),
               [block = blocks_[i]](const at::Tensor& x) { return block->forward(x); }));
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) {
      return head_->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
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
    const Bytes samples = last_samples(config_.batch, plan);
    // Stem: norm input, ReLU output and pooled output with one int64 index an element.
    Bytes side = config_.image / 2;
    const Bytes pooled = config_.width * (side / 2) * (side / 2);
    Kept kept = {.elements = 2 * config_.width * side * side + pooled,
                 .channels = config_.width,
                 .weights = stem_->weight.numel()};
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
  at::Tensor run_stem(const at::Tensor& x) const {
    const at::Tensor y = at::relu(stem_norm_->forward(stem_->forward(x)));
    return at::max_pool2d(y, {3, 3}, {2, 2}, {1, 1});
  }

  Config config_;
  at::Device device_;
  std::shared_ptr<Conv2d> stem_;
  std::shared_ptr<BatchNorm2d> stem_norm_;
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  std::shared_ptr<Linear> head_;
};

const RegisterModel registered({
    .name = "resnet50",
    .family = "resnet",
    .summary = "ResNet-50 v1.5, batch 32 x 3 x 224 x 224",
    .tags = {"default", "full"},
    .needs = {"convolution"},
    .abilities = {"batch_statistics", "convolution", "kernels", "relu"},
    .parameters = {{"full", 25'557'032}, {"twin", 130'962}},
    .has_batch_statistics = true,
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<ResNet>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
