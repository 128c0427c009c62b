#include "harness/workload/gradient_scaler.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

/// Counts its steps and keeps no state.
class CountingOptimizer : public Optimizer {
 public:
  void step() override { ++steps; }
  std::vector<at::Tensor> state_tensors() const override { return {}; }
  int steps = 0;
};

at::Tensor parameter_with_gradient(float gradient, at::ScalarType dtype = at::kFloat) {
  at::Tensor parameter = at::ones({2}, at::dtype(dtype)).requires_grad_(true);
  parameter.mutable_grad() = at::full({2}, gradient, at::dtype(dtype));
  return parameter;
}

// Recorded from Python: torch 2.11.0, torch.amp.GradScaler("cpu", init_scale=65536,
// growth_interval=5), AdamW(lr=1e-2) on p = [1, -2, 0.5] with loss (p * p).sum(), 50 steps,
// gradient of p[1] set to inf in steps 3, 4, 11, 30, 31 and 32: get_scale() after each update(),
// and p at the end.
constexpr std::array<int, 50> kPythonScales = {
    65536,  65536,  65536,  32768,  16384, 16384, 16384, 16384, 16384,  32768,  32768, 16384, 16384,
    16384,  16384,  16384,  32768,  32768, 32768, 32768, 32768, 65536,  65536,  65536, 65536, 65536,
    131072, 131072, 131072, 131072, 65536, 32768, 16384, 16384, 16384,  16384,  16384, 32768, 32768,
    32768,  32768,  32768,  65536,  65536, 65536, 65536, 65536, 131072, 131072, 131072};
constexpr std::array<float, 3> kPythonParameters = {0x1.2a4c94p-1F, -0x1.906954p+0F,
                                                    0x1.f26e32p-4F};

TEST(GradientScaler, FollowsPythonsTrajectoryOverFiftySteps) {
  const std::set<int> infinite = {3, 4, 11, 30, 31, 32};
  at::Tensor parameter = at::tensor({1.0F, -2.0F, 0.5F}).requires_grad_(true);
  OptimizerChoice choice = adamw(1e-2);
  const auto optimizer = choice.make({parameter});
  GradientScaler scaler(at::kCPU, 65536.0, /*growth_interval=*/5);
  for (int i = 0; i < 50; ++i) {
    parameter.mutable_grad().reset();
    scaler.scale((parameter * parameter).sum()).backward();
    if (infinite.contains(i)) parameter.mutable_grad()[1] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(scaler.step(*optimizer, {parameter}), !infinite.contains(i)) << "step " << i;
    EXPECT_EQ(scaler.current_scale(), kPythonScales[static_cast<std::size_t>(i)]) << "step " << i;
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_FLOAT_EQ(parameter[i].item<float>(), kPythonParameters[static_cast<std::size_t>(i)]);
  }
}

TEST(GradientScaler, DividesGradientsByTheScaleExactlyOnce) {
  const at::Tensor parameter = parameter_with_gradient(65536.0F * 3);
  GradientScaler scaler(at::kCPU);
  CountingOptimizer optimizer;
  scaler.unscale({parameter});
  EXPECT_TRUE(scaler.step(optimizer, {parameter}));
  EXPECT_EQ(parameter.grad()[0].item<float>(), 3.0F);
  EXPECT_EQ(optimizer.steps, 1);
}

TEST(GradientScaler, SkipsTheStepOnANanAndSaysSo) {
  const at::Tensor parameter = parameter_with_gradient(std::numeric_limits<float>::quiet_NaN());
  GradientScaler scaler(at::kCPU);
  CountingOptimizer optimizer;
  EXPECT_FALSE(scaler.step(optimizer, {parameter}));
  EXPECT_EQ(optimizer.steps, 0);
  EXPECT_EQ(scaler.current_scale(), 32768.0);
}

TEST(GradientScaler, RefusesASecondUnscaleInOneStep) {
  const at::Tensor parameter = parameter_with_gradient(1.0F);
  GradientScaler scaler(at::kCPU);
  scaler.unscale({parameter});
  EXPECT_THROW(scaler.unscale({parameter}), InternalError);
}

TEST(GradientScaler, RefusesHalfGradients) {
  const at::Tensor parameter = parameter_with_gradient(1.0F, at::kHalf);
  GradientScaler scaler(at::kCPU);
  EXPECT_THROW(scaler.unscale({parameter}), InternalError);
}

TEST(GradientScaler, KeepsEightBytesOfState) {
  Bytes bytes = 0;
  for (const at::Tensor& tensor : GradientScaler(at::kCPU).state_tensors()) {
    bytes += static_cast<Bytes>(tensor.nbytes());
  }
  EXPECT_EQ(bytes, GradientScaler::kStateBytes);
}

}  // namespace
}  // namespace highwater
