// What both forms of activation checkpointing promise alike.

#include <gtest/gtest.h>

#include "harness/measure/allocation_recorder.hpp"
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

// pytorch#141896: the cache knows the weight in forward and not when the segment runs again, or
// knows a cast that was made without a graph.
TEST_P(CheckpointForm, SharesAWeightUnderAutocastWithWhatRunsBeforeAndAfterIt) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 8});
  const Segment s = link("s", [w](const at::Tensor& y) { return at::linear(y, w).tanh(); });
  const auto gradient = [&](bool before, bool checkpointed, bool after) {
    w.mutable_grad().reset();
    at::Tensor y = x;
    {
      const AutocastGuard autocast(
          {.device_type = at::kCPU, .enabled = true, .dtype = at::kBFloat16});
      if (before) y = s.run({y}).at(0);
      y = run(s, y, checkpointed);
      if (after) y = s.run({y}).at(0);
    }
    y.sum().backward();
    return w.grad();
  };
  for (const auto& [before, after] : {std::pair(true, false), {false, true}, {true, true}}) {
    const at::Tensor plain = gradient(before, false, after);
    const at::Tensor checkpointed = gradient(before, true, after);
    EXPECT_LT((plain - checkpointed).norm().item<double>(), 1e-2 * plain.norm().item<double>());
  }
}

// What users' own functions kept on their context was never freed (metatensor#684).
TEST_P(CheckpointForm, KeepsNothingAfterBackwardThoughTheLossLivesOn) {
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  const c10::DebugInfoGuard reporting(c10::DebugInfoKind::PROFILER_STATE, recorder);
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("s", [w](const at::Tensor& y) { return at::linear(y, w).tanh(); });
  w.mutable_grad() = at::zeros({8, 8});
  const Bytes before = recorder->current();
  at::Tensor y = at::randn({1024, 8});
  for (int i = 0; i < 10; ++i) y = run(s, y, true);
  const at::Tensor loss = y.sum();
  y.reset();
  EXPECT_GT(recorder->current() - before, 10 * 1024 * 8 * 4);
  loss.backward();
  EXPECT_EQ(recorder->current() - before, 4);  // the loss
}

// pytorch#190758: noise drawn on the device, whose generator is another than the host's.
TEST_P(CheckpointForm, SimBeginsBothRunsWithTheSameStateOfBothGenerators) {
  const DeviceSession session("sim:h200");
  const auto state = [](at::Device device) {
    return at::globalContext().defaultGenerator(device).get_state();
  };
  std::vector<Tensors> states;
  const at::Tensor x = at::randn({4, 8}, at::device(session.device())).requires_grad_(true);
  const Segment s = link("s", [&](const at::Tensor& y) {
    states.push_back({state(at::kCPU), state(session.device())});
    const at::Tensor noise = at::randn_like(y) + at::randn({8}).to(y.device());
    return (y * noise).square();
  });
  const at::Tensor y = run(s, x, true);
  at::randn({8}, at::device(session.device()));
  at::randn({8});
  const Tensors between = {state(at::kCPU), state(session.device())};
  y.sum().backward();
  ASSERT_EQ(states.size(), 2U);
  for (std::size_t i = 0; i < between.size(); ++i) {
    EXPECT_TRUE(at::equal(states[0][i], states[1][i]));
    EXPECT_FALSE(at::equal(states[0][i], between[i]));
  }
  EXPECT_TRUE(at::equal(state(at::kCPU), between[0]));
  EXPECT_TRUE(at::equal(state(session.device()), between[1]));
}

}  // namespace
}  // namespace highwater
