// VGG-16 (configuration D of Simonyan & Zisserman 2015) as in torchvision: convolutions with bias
// and no norm, dropout 0.5 in the classifier; 138,357,544 parameters.

#include <cmath>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

struct Stage {
  std::int64_t convolutions;
  std::int64_t width;
};

struct Config {
  std::vector<Stage> stages;
  std::int64_t hidden;  ///< of the classifier
  std::int64_t image;   ///< height and width of the input
  std::int64_t classes;
  std::int64_t batch;
  double dropout = 0.5;
};

const std::map<std::string, Config> kPresets = {
    {"full",
     {.stages = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}},
      .hidden = 4096,
      .image = 224,
      .classes = 1000,
      .batch = 32}},
    {"twin",
     {.stages = {{2, 8}, {2, 16}, {2, 16}, {1, 32}, {1, 32}},
      .hidden = 64,
      .image = 32,
      .classes = 10,
      .batch = 8}},
};

constexpr std::int64_t kColours = 3;
constexpr std::int64_t kPooled = 7;  ///< sides of what the classifier reads

/// PyTorch's default initialisation shrinks activations by sqrt(6) a layer; without norms,
/// thirteen layers of that train nothing. Kaiming normal, fan out, as torchvision.
void initialise(Conv2d& convolution) {
  const at::NoGradGuard no_grad;
  const ConvolutionShape& shape = convolution.shape();
  const auto fan_out = static_cast<double>(shape.out * shape.kernel * shape.kernel);
  convolution.weight.normal_(0.0, std::sqrt(2.0 / fan_out));
  convolution.bias.zero_();
}

/// Convolutions and ReLUs of one width, then a pool: [n, in, s, s] -> [n, width, s / 2, s / 2].
class VggStage final : public torch::nn::Module {
 public:
  VggStage(std::vector<ConvolutionShape> shapes, TensorFunction relu, at::Device device)
      : relu_(std::move(relu)) {
    for (const ConvolutionShape& shape : shapes) {
      convolutions_.push_back(register_module("convolution" + std::to_string(convolutions_.size()),
                                              std::make_shared<Conv2d>(shape, device)));
      initialise(*convolutions_.back());
    }
  }

  at::Tensor forward(at::Tensor x) const {
    for (const auto& convolution : convolutions_) x = relu_(convolution->forward(x));
    return max_pool_by_two(x);
  }

  std::int64_t out() const { return convolutions_.back()->shape().out; }
  Bytes convolutions() const { return static_cast<Bytes>(convolutions_.size()); }
  Bytes weights() const {
    Bytes count = 0;
    for (const auto& convolution : convolutions_) count += convolution->weight.numel();
    return count;
  }

 private:
  TensorFunction relu_;
  std::vector<std::shared_ptr<Conv2d>> convolutions_;
};

/// images: [batch, 3, image, image] -> logits: [batch, classes].
class Vgg final : public Model {
 public:
  Vgg(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device), relu_(relu_of(options.variant)) {
    const ModelVariant& variant = options.variant;
    config_.batch = options.batch_of(config.batch);
    config_.hidden = variant.width_of(config.hidden);
    config_.dropout = options.dropout.value_or(config.dropout);
    add_stages(variant);
    const std::int64_t features = stages_.back()->out() * kPooled * kPooled;
    const std::int64_t hidden = config_.hidden;
    classifier1_ =
        register_module("classifier1", std::make_shared<Linear>(features, hidden, device_));
    classifier2_ =
        register_module("classifier2", std::make_shared<Linear>(hidden, hidden, device_));
    head_ = register_module("head", std::make_shared<Linear>(hidden, config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments;
    link_each(segments, "stage", stages_);
    segments.push_back(edge("classifier", [this](const at::Tensor& x) { return classify(x); }));
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
    const bool plain = plan.segment_wrap == nullptr;
    // ReLU outputs, and pooled outputs with one int64 index an element; checkpointed, only the
    // pooled outputs. The fp32 image belongs to the batch.
    Bytes per_image = plain ? kColours * config_.image * config_.image * weight_copy(plan) : 0;
    Bytes weights = classifier_weights();
    Bytes side = config_.image;
    for (const auto& stage : stages_) {
      const Bytes pooled = stage->out() * (side / 2) * (side / 2);
      const Bytes outputs = stage->convolutions() * stage->out() * side * side;
      per_image += pooled * element(plan);
      if (plain) per_image += outputs * element(plan) + pooled * kIndex;
      if (plain) weights += stage->weights();
      side /= 2;
    }
    const Bytes random =
        plain ? 0 : static_cast<Bytes>(stages_.size()) * checkpoint_random_state(device_);
    return samples * (per_image + classifier_bytes(plan)) + random + weights * weight_copy(plan) +
           cross_entropy(samples, config_.classes, plan, device_);
  }

 private:
  static constexpr Bytes kIndex = sizeof(std::int64_t);

  void add_stages(const ModelVariant& variant) {
    std::int64_t in = kColours;
    for (const Stage& stage : config_.stages) {
      std::vector<ConvolutionShape> shapes;
      const std::int64_t width = variant.width_of(stage.width);
      for (std::int64_t i = 0; i < variant.depth_of(stage.convolutions); ++i) {
        const std::int64_t kernel = in == kColours ? 3 : variant.kernel_of(3);
        shapes.push_back({.in = in, .out = width, .kernel = kernel, .bias = true});
        in = width;
      }
      stages_.push_back(register_module("stage" + std::to_string(stages_.size()),
                                        std::make_shared<VggStage>(shapes, relu_, device_)));
    }
  }

  at::Tensor classify(const at::Tensor& x) const {
    at::Tensor y = at::adaptive_avg_pool2d(x, {kPooled, kPooled}).flatten(1);
    y = dropout(relu_(classifier1_->forward(y)), config_.dropout);
    y = dropout(relu_(classifier2_->forward(y)), config_.dropout);
    return head_->forward(y);
  }

  Bytes classifier_weights() const {
    return classifier1_->weight.numel() + classifier2_->weight.numel() + head_->weight.numel();
  }

  /// Of one image: what the first layer reads; two ReLU outputs, each with what dropout makes of it
  /// and a bool mask.
  Bytes classifier_bytes(const StepPlan& plan) const {
    const Bytes copies = config_.dropout == 0.0 ? 1 : 2;
    const Bytes mask = config_.dropout == 0.0 ? 0 : 1;
    return classifier1_->weight.size(1) * closed_forms::element(plan) +
           2 * config_.hidden * (copies * closed_forms::element(plan) + mask);
  }

  Config config_;
  at::Device device_;
  TensorFunction relu_;
  std::vector<std::shared_ptr<VggStage>> stages_;
  std::shared_ptr<Linear> classifier1_, classifier2_, head_;
};

const RegisterModel registered({
    .name = "vgg16",
    .family = "vgg",
    .summary = "VGG-16 without norms, batch 32 x 3 x 224 x 224",
    .tags = {"full"},
    .needs = {"convolution"},
    .abilities = {"convolution", "kernels", "large_activations", "linear", "relu"},
    .parameters = {{"full", 138'357'544}, {"twin", 128'050}},
    .has_dropout = true,
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<Vgg>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
