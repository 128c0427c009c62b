// What both forms of activation checkpointing promise alike.

#include <gtest/gtest.h>

#include "harness/run/device_session.hpp"
#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/checkpoint.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/recompute.hpp"
#include "harness/workload/reentrant_checkpoint.hpp"

namespace highwater {
namespace {

class CheckpointForm : public testing::TestWithParam<std::shared_ptr<const SegmentWrap>> {
 protected:
  static at::Tensor run(const Segment& s, const at::Tensor& x, bool checkpointed) {
    return (checkpointed ? GetParam()->run(s, {x}) : s.run({x})).at(0);
  }

  /// Gradient of `parameter` through the segment, from the same seed each time.
  static at::Tensor gradient(const Segment& s, at::Tensor parameter, const at::Tensor& x,
                             bool checkpointed) {
    parameter.mutable_grad().reset();
    seed_generators(at::kCPU, 1);
    run(s, x, checkpointed).sum().backward();
    return parameter.grad();
  }

  /// What a linear layer computes in, in a checkpointed segment's first and second run, when only
  /// the forward is under autocast.
  static std::vector<at::ScalarType> dtypes_of_both_runs(at::Device device, at::ScalarType dtype) {
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
};
INSTANTIATE_TEST_SUITE_P(Both, CheckpointForm,
                         testing::Values(std::make_shared<Checkpoint>(),
                                         std::make_shared<ReentrantCheckpoint>()),
                         [](const auto& form) { return form.param->name(); });

TEST_P(CheckpointForm, GivesBitEqualGradientsToParametersAndInput) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s =
      link("s", [w](const at::Tensor& x) { return at::gelu(at::linear(x, w)).tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
  EXPECT_TRUE(at::equal(gradient(s, x, x, false), gradient(s, x, x, true)));
}

TEST_P(CheckpointForm, DrawsTheSameDropoutMasksAgain) {
  const at::Tensor w = at::randn({64, 64}).requires_grad_(true);
  const Segment s =
      link("s", [w](const at::Tensor& x) { return dropout(at::linear(x, w), 0.5).square(); });
  const at::Tensor x = at::randn({4, 64}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
}

TEST_P(CheckpointForm, LeavesTheRandomStreamWhereAPlainRunLeavesIt) {
  const at::Tensor x = at::randn({4, 64}).requires_grad_(true);
  const Segment s = link("s", [](const at::Tensor& y) { return dropout(y, 0.5).square(); });
  std::vector<at::Tensor> drawn_after;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    run(s, x, checkpointed).sum().backward();
    drawn_after.push_back(at::randn({4}));
  }
  EXPECT_TRUE(at::equal(drawn_after[0], drawn_after[1]));
}

TEST_P(CheckpointForm, AFirstSegmentWhoseInputNeedsNoGradientStillTrains) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("s", [w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const at::Tensor x = at::randn({4, 8});
  ASSERT_TRUE(gradient(s, w, x, true).defined());
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
}

TEST_P(CheckpointForm, NestsInItself) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment inner = link("i", [w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const Segment outer = link("o", [inner](const at::Tensor& x) {
    return GetParam()->run(inner, {x}).at(0).square().tanh();
  });
  const Segment plain =
      link("p", [inner](const at::Tensor& x) { return inner.run({x}).at(0).square().tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(plain, w, x, false), gradient(outer, w, x, true)));
}

TEST_P(CheckpointForm, MovesBatchNormStatisticsOnce) {
  std::vector<at::Tensor> means;
  std::vector<std::int64_t> counts;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    BatchNorm2d norm(4, at::kCPU);
    const at::Tensor x = at::randn({2, 4, 3, 3}).requires_grad_(true);
    const Segment s = link("s", [&norm](const at::Tensor& y) { return norm.forward(y).tanh(); });
    run(s, x, checkpointed).sum().backward();
    means.push_back(norm.running_mean.clone());
    counts.push_back(norm.num_batches_tracked.item<std::int64_t>());
  }
  EXPECT_TRUE(at::equal(means[0], means[1]));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 1}));
}

TEST_P(CheckpointForm, RefusesAnInputThatWasModifiedInPlaceSince) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 8});
  const Segment s = link("s", [w](const at::Tensor& y) { return at::linear(y, w).tanh(); });
  const at::Tensor loss = run(s, x, true).sum();
  x.fill_(5);
  EXPECT_THROW(loss.backward(), c10::Error);
}

TEST_P(CheckpointForm, RecomputesInTheForwardsAutocastState) {
  EXPECT_EQ(dtypes_of_both_runs(at::kCPU, at::kBFloat16),
            (std::vector{at::kBFloat16, at::kBFloat16}));
  EXPECT_FALSE(recomputing());
}

// On a GPU the second run is on the engine's own thread, which starts without autocast.
TEST_P(CheckpointForm, SimRecomputesInTheDevicesAutocastState) {
  const DeviceSession session("sim:h200");
  EXPECT_EQ(dtypes_of_both_runs(session.device(), at::kHalf), (std::vector{at::kHalf, at::kHalf}));
  session.release_caches();  // no recorder heard of its workspaces: the next would miss them
}

}  // namespace
}  // namespace highwater
