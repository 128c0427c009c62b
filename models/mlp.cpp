// A chain of equal linear layers with ReLU and a linear head: the smallest model, and the example
// of how a model file is written.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

struct Config {
  std::int64_t layers;
  std::int64_t width;
  std::int64_t classes;
  std::int64_t batch;
  std::int64_t layers_per_segment;
};

const std::map<std::string, Config> kPresets = {
    {"full", {.layers = 8, .width = 512, .classes = 10, .batch = 2048, .layers_per_segment = 4}},
    {"twin", {.layers = 8, .width = 32, .classes = 10, .batch = 64, .layers_per_segment = 4}},
};

/// x: [batch, width] -> logits: [batch, classes].
class Mlp final : public Model {
 public:
  Mlp(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device), relu_(relu_of(options.variant)) {
    config_.batch = options.batch_of(config.batch);
    config_.width = options.variant.width_of(config.width);
    config_.layers = options.variant.depth_of(config.layers);
    for (std::int64_t i = 0; i < config_.layers; ++i) {
      layers_.push_back(
          register_module("layer" + std::to_string(i),
                          std::make_shared<Linear>(config_.width, config_.width, device_)));
    }
    head_ =
        register_module("head", std::make_shared<Linear>(config_.width, config_.classes, device_));
  }

  std::vector<Segment> segments() override {
    std::vector<Segment> segments;
    for (std::int64_t first = 0; first < config_.layers; first += config_.layers_per_segment) {
      segments.push_back(link("layers." + std::to_string(first),
                              [this, first](const at::Tensor& x) { return run_layers(x, first); }));
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) { return head_->forward(x); }));
    return segments;
  }

  Batch example_batch() override {
    return classification_batch({config_.batch, config_.width}, config_.classes, device_);
  }

  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!hold(plan, {"model.width_divisor", "model.depth_divisor", "model.inplace_relu"})) {
      return std::nullopt;
    }
    const bool plain = plan.segment_wrap == nullptr;
    const Bytes rows = last_samples(config_.batch, plan);
    const Bytes layer = rows * config_.width * element(plan);
    // Each ReLU's output is kept once, for itself and as the next layer's input; checkpointed, only
    // what crosses a segment boundary is.
    const Bytes segments = config_.layers / config_.layers_per_segment;
    const Bytes outputs = (plain ? config_.layers : segments) * layer;
    const Bytes random = plain ? 0 : segments * checkpoint_random_state(device_);
    // Under autocast the batch is cast, and every weight but the first layer's is kept as a copy:
    // the batch needs no gradient. Checkpointed, only the head's.
    const Bytes input = plan.autocast && plain ? layer : 0;
    const Bytes weights = (plain ? (config_.layers - 1) * config_.width * config_.width : 0) +
                          config_.width * config_.classes;
    return input + outputs + random + weights * weight_copy(plan) +
           cross_entropy(rows, config_.classes, plan, device_);
  }

 private:
  at::Tensor run_layers(at::Tensor x, std::int64_t first) const {
    for (std::int64_t i = first; i < first + config_.layers_per_segment; ++i) {
      x = relu_(layers_[static_cast<std::size_t>(i)]->forward(x));
    }
    return x;
  }

  Config config_;
  at::Device device_;
  TensorFunction relu_;
  std::vector<std::shared_ptr<Linear>> layers_;
  std::shared_ptr<Linear> head_;
};

const RegisterModel registered({
    .name = "mlp",
    .family = "mlp",
    .summary = "8 linear layers of width 512 with ReLU, batch 2048",
    .tags = {"default", "smoke", "full"},
    .abilities = {"large_activations", "linear", "relu"},
    .parameters = {{"full", 2'106'378}, {"twin", 8'778}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<Mlp>(kPresets.at(options.preset), options);
    },
});

}  // namespace
}  // namespace highwater
