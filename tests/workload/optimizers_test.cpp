// What single optimizers do to weights and to the peak.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/workload/gradient_scaler.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

StepPlan plan_of(const std::string& technique) { return make_plan(parse_techniques(technique)); }

at::Tensor seeded(at::IntArrayRef shape, at::ScalarType dtype = at::kFloat) {
  at::manual_seed(7);
  return at::randn(shape).to(dtype).requires_grad_(true);
}

/// A matrix after some updates with gradients that are the same for every optimizer.
at::Tensor trained(const OptimizerChoice& choice, int updates, at::ScalarType dtype = at::kFloat) {
  const at::Tensor parameter = seeded({32, 48}, dtype);
  const auto optimizer = choice.make({parameter});
  for (int i = 0; i < updates; ++i) {
    parameter.mutable_grad() = at::randn({32, 48}).mul_(1e-2).to(dtype);
    optimizer->take_gradients({parameter});
    optimizer->step();
  }
  return parameter.detach();
}

TEST(Optimizers, TheLoopAndTheListsAreLibTorchsAdamWBitForBit) {
  const at::Tensor expected = trained(adamw(), 5);
  EXPECT_TRUE(at::equal(trained(plan_of("adamw_loop").optimizer, 5), expected));
  EXPECT_TRUE(at::equal(trained(plan_of("adamw_foreach").optimizer, 5), expected));
  EXPECT_TRUE(at::equal(trained(plan_of("optimizer_offload").optimizer, 5), expected));
}

TEST(Optimizers, TheFusedKernelRoundsInAnotherOrder) {
  const at::Tensor fused = trained(plan_of("adamw_fused").optimizer, 5);
  EXPECT_TRUE(at::allclose(fused, trained(adamw(), 5), 0, 1e-6));
}

TEST(Optimizers, EightBitMomentsStayWithinATenthOfAdamWsPath) {
  const at::Tensor start = seeded({32, 48}).detach();
  const at::Tensor exact = trained(adamw(), 30);
  const at::Tensor quantised = trained(plan_of("adamw_8bit").optimizer, 30);
  const double error = (quantised - exact).norm().item<double>();
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 0.1 * (exact - start).norm().item<double>());
}

// Its squares have rank one too, so that two factors lose nothing: update = gradient / |gradient|.
TEST(Optimizers, AdafactorMovesAllWeightsByItsLearningRateOnAGradientOfRankOne) {
  const at::Tensor parameter = seeded({32, 48});
  const at::Tensor before = parameter.detach().clone();
  const at::Tensor gradient = at::outer(at::randn(32), at::randn(48));
  parameter.mutable_grad() = gradient;
  plan_of("adafactor").optimizer.make({parameter})->step();
  EXPECT_TRUE(at::allclose(before - parameter.detach(), gradient.sign().mul_(1e-3), 0, 1e-6));
}

// Gradients of 1e-4 square to 1e-8, below the smallest fp16 number, as AdamW's eps is.
TEST(Optimizers, HalfWeightsAndMomentsBecomeNaNAndFp32MastersDoNot) {
  const auto update = [](const OptimizerChoice& choice) {
    const at::Tensor parameter = at::ones({4}, at::kHalf).requires_grad_(true);
    parameter.mutable_grad() = at::full({4}, 1e-4, at::kHalf);
    const auto optimizer = choice.make({parameter});
    optimizer->take_gradients({parameter});
    optimizer->step();
    return parameter.detach();
  };
  EXPECT_FALSE(at::isfinite(update(plan_of("pure_fp16").optimizer)).any().item<bool>());
  const at::Tensor expected = at::full({4}, 1 - 1e-3 - 1e-5).to(at::kHalf);
  EXPECT_TRUE(at::equal(update(plan_of("fp16_master_weights").optimizer), expected));
}

TEST(Optimizers, MastersRememberUpdatesThatHalfWeightsCannotShow) {
  const at::Tensor halves = trained(plan_of("fp16_master_weights").optimizer, 20, at::kHalf);
  const at::Tensor floats = trained(adamw(), 20);
  EXPECT_TRUE(at::allclose(halves.to(at::kFloat), floats, /*rtol=*/2e-3, /*atol=*/2e-4));
}

TEST(Optimizers, AScalerUnscalesTheMastersGradientsAndNotTheHalfOnes) {
  const at::Tensor parameter = at::ones({4}, at::kHalf).requires_grad_(true);
  parameter.mutable_grad() = at::full({4}, 3.0, at::kHalf);
  const auto optimizer = plan_of("fp16_master_weights").optimizer.make({parameter});
  const Tensors masters = optimizer->take_gradients({parameter});
  GradientScaler(at::kCPU, /*initial_scale=*/2.0).unscale(masters);
  EXPECT_EQ(masters[0].grad()[0].item<float>(), 1.5F);
  EXPECT_EQ(parameter.grad()[0].item<float>(), 3.0F);
}

TEST(Optimizers, ASkippedFusedUpdateTouchesNeitherWeightsNorState) {
  const at::Tensor parameter = seeded({32, 48});
  const auto optimizer = plan_of("adamw_fused").optimizer.make({parameter});
  GradientScaler scaler(at::kCPU);
  parameter.mutable_grad() = at::ones({32, 48});
  EXPECT_TRUE(scaler.step(*optimizer, {parameter}));
  Tensors before = {parameter.detach().clone()};
  for (const at::Tensor& tensor : optimizer->state_tensors()) before.push_back(tensor.clone());
  parameter.mutable_grad() = at::ones({32, 48});
  parameter.mutable_grad()[3][4] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(scaler.step(*optimizer, {parameter}));
  EXPECT_TRUE(at::equal(parameter, before[0]));
  const auto after = optimizer->state_tensors();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_TRUE(at::equal(after[i], before[i + 1]));
  // The scaler has divided the finite ones: they are not left scaled.
  EXPECT_EQ(parameter.grad()[0][0].item<float>(), 1.0F / 65536.0F);
}

Measurement measured(const std::string& technique, const std::string& preset,
                     const std::string& device) {
  const Cell cell{.model = "mlp", .preset = preset, .technique = technique, .device = device};
  return measure_memory(DeviceSession(device), cell, plan_of(technique), Protocol{}).metrics;
}

// Adam ran out of memory in the second step where SGD fitted: its state is made at the end of the
// first.
TEST(Optimizers, AdamWsSecondStepPeaksTwiceTheParametersAboveThatOfGradientDescent) {
  const Measurement adam = measured("baseline", "twin", "cpu");
  const Measurement descent = measured("sgd", "twin", "cpu");
  const std::string second = "second_step_peak_allocated_bytes";
  EXPECT_GT(adam.at(second), adam.at("first_step_peak_allocated_bytes"));
  EXPECT_EQ(adam.at(second) - descent.at(second), 2 * adam.at("parameters_bytes"));
}

TEST(Optimizers, SimListsPeakAtMostATenthAboveOneMoreSetOfParametersThanTheLoop) {
  const Measurement lists = measured("adamw_foreach", "small", "sim:h200");
  const Measurement loop = measured("adamw_loop", "small", "sim:h200");
  const std::string peak = "optimizer_peak_allocated_bytes";
  EXPECT_GT(lists.at(peak), loop.at(peak));
  EXPECT_LE(lists.at(peak) - loop.at(peak), 1.1 * static_cast<double>(loop.at("parameters_bytes")));
}

TEST(Optimizers, SimOffloadedStateLiesOnTheHost) {
  const Measurement offloaded = measured("optimizer_offload", "small", "sim:h200");
  EXPECT_EQ(offloaded.at("optimizer_state_bytes"), 0);
  EXPECT_EQ(offloaded.at("at_peak_optimizer_state_bytes"), 0);
}

}  // namespace
}  // namespace highwater
