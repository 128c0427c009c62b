#include "harness/workload/layers.hpp"

#include <gtest/gtest.h>

#include "harness/workload/random_state.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/step_runner.hpp"

namespace highwater {
namespace {

std::shared_ptr<Model> mlp(const std::string& preset, const ModelVariant& variant) {
  seed_generators(at::kCPU, 1);
  return make_model("mlp", {.preset = preset, .variant = variant});
}

at::Tensor forward(Model& model, Tensors tensors) {
  for (const Segment& segment : model.segments()) tensors = segment.run(tensors);
  return tensors.at(0);
}

// 8 x (128 x 1024 + 512), and the head of 10 classes at rank 2: 2 x 522 + 10.
TEST(LowRank, MakesTwoFactorsOfAQuarterOfTheSmallerSide) {
  std::int64_t count = 0;
  for (const at::Tensor& p : mlp("full", {.rank_divisor = 4})->parameters()) count += p.numel();
  EXPECT_EQ(count, 1'053'726);
}

TEST(LowRank, LeavesAWeightThatTwoFactorsWouldNotShrink) {
  Linear layer(4, 4, at::kCPU);
  torch::nn::Module model;
  const auto registered = std::make_shared<Linear>(4, 3, at::kCPU);
  model.register_module("layer", registered);
  adapt_linear_layers(model, {.rank_divisor = 4});
  EXPECT_TRUE(registered->weight.defined());
}

TEST(LowRank, ComputesTheProductOfItsFactors) {
  Linear layer(32, 16, at::kCPU);
  layer.factorise(4);
  const at::Tensor x = at::randn({5, 32});
  const at::Tensor expected = at::linear(x, at::mm(layer.up, layer.down), layer.bias);
  EXPECT_TRUE(at::allclose(layer.forward(x), expected, 1e-5, 1e-6));
}

TEST(Lora, ComputesTheSameAsTheFrozenModelAtFirst) {
  const auto model = mlp("twin", {});
  const Tensors inputs = model->example_batch().inputs;
  const at::Tensor before = forward(*model, inputs);
  adapt_linear_layers(*model, {.lora_rank = 8});
  EXPECT_TRUE(at::equal(forward(*model, inputs), before));
}

TEST(Lora, AddsTheProductOfItsFactors) {
  Linear layer(32, 16, at::kCPU);
  layer.adapt(4);
  {
    const at::NoGradGuard no_grad;
    layer.up.normal_();
  }
  const at::Tensor x = at::randn({5, 32});
  const at::Tensor weight = layer.weight + at::mm(layer.up, layer.down);
  EXPECT_TRUE(at::allclose(layer.forward(x), at::linear(x, weight, layer.bias), 1e-4, 1e-5));
}

TEST(Lora, TrainsAdaptersAndNothingElse) {
  const auto model = mlp("twin", {.lora_rank = 8});
  StepRunner runner(model, StepPlan{});
  runner.step(model->example_batch());
  for (const auto& parameter : model->named_parameters()) {
    const std::string& name = parameter.key();
    const bool adapter = name.ends_with(".down") || name.ends_with(".up");
    EXPECT_EQ(parameter.value().grad().defined(), adapter) << name;
  }
  EXPECT_EQ(runner.parameters().size(), 16U);  // the head of 10 classes gains nothing from rank 8
}

// 8 x 8 x 1024 and for the head 8 x 522: 4 bytes each of gradients and 8 of moments.
TEST(Lora, KeepsGradientsAndStateOfItsAdaptersOnly) {
  const ModelVariant variant{.lora_rank = 8};
  const Measurement predicted = predict(*mlp("full", variant), StepPlan{.variant = variant});
  EXPECT_EQ(predicted.at("parameters_bytes"), 4 * (2'106'378 + 69'712));
  EXPECT_EQ(predicted.at("gradients_bytes"), 4 * 69'712);
  EXPECT_EQ(predicted.at("optimizer_state_bytes"), 8 * 69'712);
}

}  // namespace
}  // namespace highwater
