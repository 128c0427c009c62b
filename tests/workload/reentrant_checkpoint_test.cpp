#include "harness/workload/convolution.hpp"
#include "harness/workload/reentrant_checkpoint.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "harness/core/error.hpp"
#include "harness/run/device_session.hpp"
#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {
namespace {

at::Tensor run(const Segment& segment, const at::Tensor& x, bool checkpointed) {
  return (checkpointed ? ReentrantCheckpoint().run(segment, {x}) : segment.run({x})).at(0);
}

/// Gradient of `parameter` through the segment, from the same seed each time.
at::Tensor gradient(const Segment& segment, at::Tensor parameter, const at::Tensor& x,
                    bool checkpointed) {
  parameter.mutable_grad().reset();
  seed_generators(at::kCPU, 1);
  run(segment, x, checkpointed).sum().backward();
  return parameter.grad();
}

TEST(ReentrantCheckpoint, GivesBitEqualGradientsToParametersAndInput) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s =
      link("s", [w](const at::Tensor& x) { return at::gelu(at::linear(x, w)).tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
  EXPECT_TRUE(at::equal(gradient(s, x, x, false), gradient(s, x, x, true)));
}

TEST(ReentrantCheckpoint, DrawsTheSameDropoutMasksAgainAndLeavesTheStreamWhereItWas) {
  const at::Tensor w = at::randn({64, 64}).requires_grad_(true);
  const Segment s =
      link("s", [w](const at::Tensor& x) { return dropout(at::linear(x, w), 0.5).square(); });
  const at::Tensor x = at::randn({4, 64}).requires_grad_(true);
  std::vector<at::Tensor> gradients, drawn_after;
  for (const bool checkpointed : {false, true}) {
    gradients.push_back(gradient(s, w, x, checkpointed));
    drawn_after.push_back(at::randn({4}));
  }
  EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
  EXPECT_TRUE(at::equal(drawn_after[0], drawn_after[1]));
}

TEST(ReentrantCheckpoint, AFirstSegmentWhoseInputNeedsNoGradientStillTrains) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("s", [w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const at::Tensor x = at::randn({4, 8});
  ASSERT_TRUE(gradient(s, w, x, true).defined());
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
}

TEST(ReentrantCheckpoint, RefusesAutogradGradAndNamesTheSegmentAndTheOtherForm) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("block.7", [w](const at::Tensor& x) { return at::linear(x, w); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  try {
    torch::autograd::grad({run(s, x, true).sum()}, {x});
    FAIL() << "the inner backward was run for a gradient that it cannot know";
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("block.7"), std::string::npos) << text;
    EXPECT_NE(text.find("activation_checkpointing"), std::string::npos) << text;
  }
}

TEST(ReentrantCheckpoint, HandlesTwoInputsTwoOutputsAndOneOfThemUnused) {
  const Segment s = {.name = "s", .run = [](const Tensors& x) {
                       return Tensors{x[0] * x[1], x[0].tanh()};
                     }};
  std::vector<Tensors> gradients;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    const at::Tensor a = at::randn({8}).requires_grad_(true);
    const at::Tensor b = at::randn({8}).requires_grad_(true);
    const Tensors both = checkpointed ? ReentrantCheckpoint().run(s, {a, b}) : s.run({a, b});
    both[0].sum().backward();
    gradients.push_back({a.grad(), b.grad()});
  }
  EXPECT_TRUE(at::equal(gradients[0][0], gradients[1][0]));
  EXPECT_TRUE(at::equal(gradients[0][1], gradients[1][1]));
}

TEST(ReentrantCheckpoint, NestsInItself) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment inner = link("i", [w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const Segment outer = link("o", [inner](const at::Tensor& x) {
    return ReentrantCheckpoint().run(inner, {x}).at(0).square().tanh();
  });
  const Segment plain =
      link("p", [inner](const at::Tensor& x) { return inner.run({x}).at(0).square().tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(plain, w, x, false), gradient(outer, w, x, true)));
}

TEST(ReentrantCheckpoint, ASegmentThatReturnsItsInputPassesTheGradientOn) {
  const at::Tensor x = at::randn({8}).requires_grad_(true);
  const at::Tensor y = x * 3;
  run(link("s", [](const at::Tensor& t) { return t; }), y, true).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({8}, 3.0)));
}

TEST(ReentrantCheckpoint, MovesBatchNormStatisticsOnce) {
  std::vector<at::Tensor> means;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    BatchNorm2d norm(4, at::kCPU);
    const at::Tensor x = at::randn({2, 4, 3, 3}).requires_grad_(true);
    const Segment s = link("s", [&](const at::Tensor& y) { return norm.forward(y).tanh(); });
    run(s, x, checkpointed).sum().backward();
    means.push_back(norm.running_mean.clone());
    EXPECT_EQ(norm.num_batches_tracked.item<std::int64_t>(), 1);
  }
  EXPECT_TRUE(at::equal(means[0], means[1]));
}

TEST(ReentrantCheckpoint, RefusesAnInputThatWasModifiedInPlaceSince) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 8});
  const Segment s = link("s", [w](const at::Tensor& y) { return at::linear(y, w).tanh(); });
  const at::Tensor loss = run(s, x, true).sum();
  x.fill_(5);
  EXPECT_THROW(loss.backward(), c10::Error);
}

TEST(ReentrantCheckpoint, UnderNoGradRunsThePlainSegment) {
  const at::NoGradGuard no_grad;
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("s", [w](const at::Tensor& x) { return at::linear(x, w); });
  EXPECT_FALSE(run(s, at::randn({4, 8}), true).requires_grad());
}

std::vector<at::ScalarType> dtypes_of_both_runs(at::Device device, at::ScalarType dtype) {
  const auto on_device = at::device(device).dtype(at::kFloat);
  const at::Tensor w = at::randn({8, 8}, on_device).requires_grad_(true);
  std::vector<at::ScalarType> dtypes;
  const Segment s = link("s", [w, &dtypes](const at::Tensor& x) {
    const at::Tensor y = at::linear(x, w);
    dtypes.push_back(y.scalar_type());
    return y.tanh();
  });
  at::Tensor loss;
  {
    const AutocastGuard autocast({.device_type = device.type(), .enabled = true, .dtype = dtype});
    loss = run(s, at::randn({4, 8}, on_device), true).sum();
  }
  loss.backward();
  return dtypes;
}

TEST(ReentrantCheckpoint, RecomputesInTheForwardsAutocastState) {
  EXPECT_EQ(dtypes_of_both_runs(at::kCPU, at::kBFloat16),
            (std::vector{at::kBFloat16, at::kBFloat16}));
}

// On a GPU the second run is on the engine's own thread, which starts without autocast.
TEST(ReentrantCheckpoint, SimRecomputesInTheDevicesAutocastState) {
  const DeviceSession session("sim:h200");
  EXPECT_EQ(dtypes_of_both_runs(session.device(), at::kHalf), (std::vector{at::kHalf, at::kHalf}));
  session.release_caches();  // no recorder heard of its workspaces: the next would miss them
}

}  // namespace
}  // namespace highwater
