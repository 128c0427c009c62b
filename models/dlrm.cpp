// DLRM on Criteo's Kaggle data: an embedding table for each categorical feature, a bottom network
// for the numbers, dot products between all of them, a top network; dense gradients. Shapes: Naumov
// et al. 2019, the benchmark script of facebookresearch/dlrm; 540,677,217 parameters, all but
// 475,985 of them in the tables.

#include <cmath>
#include <numeric>

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

constexpr std::int64_t kNumbers = 13;

struct Config {
  std::vector<std::int64_t> tables;  ///< rows of each
  std::int64_t width;                ///< of a row
  std::vector<std::int64_t> bottom;  ///< hidden widths
  std::vector<std::int64_t> top;     ///< hidden widths
  std::int64_t batch;

  std::int64_t vectors() const { return static_cast<std::int64_t>(tables.size()) + 1; }
  std::int64_t pairs() const { return vectors() * (vectors() - 1) / 2; }
  std::int64_t features() const { return width + pairs(); }
};

const Config kFull = {.tables = {1460,  583,  10131227, 2202608, 305, 24,     12517,   633,   3,
                                 93145, 5683, 8351593,  3194,    27,  14992,  5461306, 10,    5652,
                                 2173,  4,    7046547,  18,      15,  286181, 105,     142572},
                      .width = 16,
                      .bottom = {512, 256, 64},
                      .top = {512, 256},
                      .batch = 2048};
const Config kTwin = {
    .tables = {5, 40, 3, 200}, .width = 8, .bottom = {32, 16}, .top = {32, 16}, .batch = 16};

std::vector<std::int64_t> divided(std::vector<std::int64_t> widths, const ModelVariant& variant) {
  const auto layers = static_cast<std::int64_t>(widths.size()) / variant.depth_divisor;
  widths.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, layers)));
  for (std::int64_t& width : widths) width /= variant.width_divisor;
  return widths;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Linear layers with ReLU after each. x: [n, in] -> [n, last of widths].
class Perceptron final : public torch::nn::Module {
 public:
  Perceptron(std::int64_t in, const std::vector<std::int64_t>& widths, at::Device device) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i),
                                        std::make_shared<Linear>(in, widths[i], device)));
      in = widths[i];
    }
  }

  at::Tensor forward(at::Tensor x) const {
    for (const auto& layer : layers_) x = at::relu(layer->forward(x));
    return x;
  }

 private:
  std::vector<std::shared_ptr<Linear>> layers_;
};

/// numbers: [batch, 13], ids: int64 [batch, tables] -> logits: [batch].
class Dlrm final : public Model {
 public:
  Dlrm(Config config, const ModelOptions& options)
      : config_(std::move(config)), device_(options.device) {
    config_.batch = options.batch_of(config_.batch);
    config_.width /= options.variant.width_divisor;
    config_.bottom = divided(config_.bottom, options.variant);
    config_.top = divided(config_.top, options.variant);
    for (std::size_t i = 0; i < config_.tables.size(); ++i) {
      const std::int64_t rows = config_.tables[i];
      tables_.push_back(register_module(
          "table" + std::to_string(i),
          std::make_shared<Embedding>(rows, config_.width,
                                      1.0 / std::sqrt(static_cast<double>(rows)), device_)));
    }
    std::vector<std::int64_t> bottom = config_.bottom;
    bottom.push_back(config_.width);
    bottom_ = register_module("bottom", std::make_shared<Perceptron>(kNumbers, bottom, device_));
    top_ = register_module("top",
                           std::make_shared<Perceptron>(config_.features(), config_.top, device_));
    head_ = register_module("head", std::make_shared<Linear>(config_.top.back(), 1, device_));
  }

  std::vector<Segment> segments() override {
    return {{.name = "bottom",
             .run =
                 [this](const Tensors& x) {
                   return Tensors{bottom_->forward(x[0]), x[1]};
                 }},
            {.name = "interaction",
             .run = [this](const Tensors& x) { return Tensors{interact(x[0], x[1])}; }},
            link("top", [this](const at::Tensor& x) { return top_->forward(x); }),
            edge("head", [this](const at::Tensor& x) { return head_->forward(x).flatten(); })};
  }

  Batch example_batch() override {
    Tensors ids;
    for (const std::int64_t rows : config_.tables) {
      ids.push_back(at::randint(rows, {config_.batch}, at::device(device_).dtype(at::kLong)));
    }
    return {
        .inputs = {at::randn({config_.batch, kNumbers}, at::device(device_)), at::stack(ids, 1)},
        .targets = at::randint(2, {config_.batch}, at::device(device_).dtype(at::kFloat))};
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return at::binary_cross_entropy_with_logits(outputs.at(0).to(at::kFloat), batch.targets);
  }

  /// Outputs of all ReLUs, the stacked vectors, the features, the logits in fp32; the numbers and
  /// ids belong to the batch. Checkpointed, what crosses a segment boundary. Under autocast the
  /// stacked vectors are cast twice for their product with themselves, the numbers once, and every
  /// weight but the first's is kept as a copy: the numbers need no gradient.
  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (!hold(plan, {"dtype", "model.width_divisor", "model.depth_divisor"})) return std::nullopt;
    const bool plain = plan.segment_wrap == nullptr;
    const Bytes w = config_.width;
    const Bytes casts = plan.autocast ? config_.vectors() * w + kNumbers : 0;
    const Bytes hidden = sum(config_.bottom) + config_.vectors() * w + sum(config_.top) + casts;
    const Bytes elements = w + config_.features() + (plain ? hidden : config_.top.back());
    const Bytes index = config_.pairs() * static_cast<Bytes>(sizeof(std::int64_t));
    const Bytes weights = config_.top.back() + (plain ? inner_weights() : 0);
    return last_samples(config_.batch, plan) * (elements * element(plan) + kFloat) +
           weights * weight_copy(plan) +
           (plain ? index : kSegments * checkpoint_random_state(device_)) + kFloat;
  }

 private:
  static constexpr Bytes kSegments = 3;

  /// Elements of all weights between the first layer and the head.
  Bytes inner_weights() const {
    std::vector<std::int64_t> bottom = config_.bottom;
    bottom.push_back(config_.width);
    Bytes weights = config_.features() * config_.top.front();
    for (const auto& widths : {bottom, config_.top}) {
      weights += std::inner_product(widths.begin() + 1, widths.end(), widths.begin(), Bytes{0});
    }
    return weights;
  }

  /// The dot product of every two of the bottom network's vector and the rows looked up, behind
  /// that vector itself.
  at::Tensor interact(const at::Tensor& x, const at::Tensor& ids) const {
    Tensors vectors = {x};
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      vectors.push_back(tables_[i]->forward(ids.select(1, static_cast<std::int64_t>(i))));
    }
    const at::Tensor stacked = at::stack(vectors, 1);
    const at::Tensor products = at::bmm(stacked, stacked.transpose(1, 2)).flatten(1);
    return at::cat({x, products.index_select(1, pairs())}, 1);
  }

  /// Where in the flattened matrix of products each pair stands once.
  at::Tensor pairs() const {
    const std::int64_t n = config_.vectors();
    const at::Tensor below = at::tril_indices(n, n, -1, at::device(device_).dtype(at::kLong));
    return below[0] * n + below[1];
  }

  Config config_;
  at::Device device_;
  std::vector<std::shared_ptr<Embedding>> tables_;
  std::shared_ptr<Perceptron> bottom_, top_;
  std::shared_ptr<Linear> head_;
};

const RegisterModel registered({
    .name = "dlrm",
    .family = "dlrm",
    .summary = "DLRM of Criteo Kaggle: 26 embedding tables with dense gradients, dot interaction, "
               "batch 2048",
    .tags = {"full"},
    // Not "linear": its linear layers hold a thousandth of the parameters.
    .abilities = {"large_activations"},
    .parameters = {{"full", 540'677'217}, {"twin", 4'249}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<Dlrm>(options.preset == "twin" ? kTwin : kFull, options);
    },
});

}  // namespace
}  // namespace highwater
