#pragma once

#include <cstdint>

#include "harness/workload/layers.hpp"
#include "harness/workload/model.hpp"

namespace highwater::testing_support {

/// Two linear layers in segments of their own and a squared-error loss; 4 samples of width 8 unless
/// told otherwise. What a test needs to change, it changes through the members.
class TinyModel : public Model {
 public:
  explicit TinyModel(std::int64_t batch = 4, at::Device device = at::kCPU)
      : batch_(batch), device_(device) {
    first = register_module("first", std::make_shared<Linear>(8, 16, device));
    second = register_module("second", std::make_shared<Linear>(16, 8, device));
  }

  std::vector<Segment> segments() override {
    return {{.name = "first",
             .run = [this](const Tensors& x) { return Tensors{at::tanh(first->forward(x[0]))}; }},
            {.name = "second",
             .run = [this](const Tensors& x) { return Tensors{at::tanh(second->forward(x[0]))}; }}};
  }

  Batch example_batch() override {
    const auto options = at::device(device_).dtype(at::kFloat);
    return {.inputs = {at::randn({batch_, 8}, options)},
            .targets = at::randn({batch_, 8}, options)};
  }

  at::Tensor loss(const Tensors& outputs, const Batch& batch) override {
    return (outputs[0] - batch.targets).square().mean();
  }

  std::optional<Bytes> predict_activations(const StepPlan&) const override { return std::nullopt; }

  std::shared_ptr<Linear> first, second;

 private:
  std::int64_t batch_;
  at::Device device_;
};

}  // namespace highwater::testing_support
