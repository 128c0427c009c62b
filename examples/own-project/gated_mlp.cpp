// A model of your own: residual blocks x + down(silu(gate(x)) * up(x)) and a linear head.

#include "harness/workload/closed_forms.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/registry.hpp"

namespace {

using namespace highwater;

struct Config {
  std::int64_t blocks;
  std::int64_t width;
  std::int64_t hidden;
  std::int64_t classes;
  std::int64_t batch;
};

// "full" is measured on the simulated and on real GPUs, "twin" trains on the CPU.
const std::map<std::string, Config> kPresets = {
    {"full", {.blocks = 12, .width = 1024, .hidden = 4096, .classes = 1000, .batch = 512}},
    {"twin", {.blocks = 4, .width = 32, .hidden = 64, .classes = 10, .batch = 16}},
};

class Block final : public ScopedModule {
 public:
  Block(const Config& config, at::Device device)
      : gate_(add("gate", config.width, config.hidden, device)),
        up_(add("up", config.width, config.hidden, device)),
        down_(add("down", config.hidden, config.width, device)) {}

  at::Tensor forward(const at::Tensor& x) const {
    const ModuleScope here = scope();
    return x + down_->forward(at::silu(gate_->forward(x)) * up_->forward(x));
  }

 private:
  std::shared_ptr<Linear> add(const char* name, std::int64_t in, std::int64_t out,
                              at::Device device) {
    return register_module(name, std::make_shared<Linear>(in, out, device));
  }

  std::shared_ptr<Linear> gate_;
  std::shared_ptr<Linear> up_;
  std::shared_ptr<Linear> down_;
};

/// x: [batch, width] -> logits: [batch, classes].
class GatedMlp final : public Model {
 public:
  GatedMlp(const Config& config, const ModelOptions& options)
      : config_(config), device_(options.device) {
    config_.batch = options.batch_of(config.batch);
    config_.width = options.variant.width_of(config.width);
    config_.blocks = options.variant.depth_of(config.blocks);
    for (std::int64_t i = 0; i < config_.blocks; ++i) {
      blocks_.push_back(
          register_module("block" + std::to_string(i), std::make_shared<Block>(config_, device_)));
    }
    head_ =
        register_module("head", std::make_shared<Linear>(config_.width, config_.classes, device_));
  }

  // Checkpointing recomputes one of these at a time.
  std::vector<Segment> segments() override {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      segments.push_back(
          link("block" + std::to_string(i),
               [block = blocks_[i]](const at::Tensor& x) { return block->forward(x); }));
    }
    segments.push_back(edge("head", [this](const at::Tensor& x) { return head_->forward(x); }));
    return segments;
  }

  Batch example_batch() override {
    return classification_batch({config_.batch, config_.width}, config_.classes, device_);
  }

  // Of each block: what gate and up made, silu of the one, their product, and the sum that the next
  // layer reads. Plain only; what is not predicted is measured all the same.
  std::optional<Bytes> predict_activations(const StepPlan& plan) const override {
    using namespace closed_forms;
    if (plan.autocast || plan.segment_wrap != nullptr || !hold(plan)) return std::nullopt;
    const Bytes rows = last_samples(config_.batch, plan);
    return config_.blocks * rows * (4 * config_.hidden + config_.width) * kFloat +
           cross_entropy(rows, config_.classes, plan, device_);
  }

 private:
  Config config_;
  at::Device device_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<Linear> head_;
};

const RegisterModel registered({
    .name = "gated-mlp",
    .family = "gated_mlp",
    .summary = "12 gated blocks of width 1024, batch 512",
    .abilities = {"large_activations", "linear"},
    .parameters = {{"full", 152'130'536}, {"twin", 25'546}},
    .make = [](const ModelOptions& options) -> std::shared_ptr<Model> {
      return std::make_shared<GatedMlp>(kPresets.at(options.preset), options);
    },
});

}  // namespace
