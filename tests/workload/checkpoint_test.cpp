#include "harness/workload/checkpoint.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "harness/core/error.hpp"
#include "harness/measure/allocation_recorder.hpp"
#include "harness/run/device_session.hpp"
#include "harness/workload/autocast_guard.hpp"
#include "harness/workload/convolution.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/recompute.hpp"
#include "harness/workload/step_runner.hpp"
#include "tests/support/tiny_model.hpp"

namespace highwater {
namespace {

using testing_support::TinyModel;

Segment segment(std::function<at::Tensor(const at::Tensor&)> f) {
  return {.name = "under test", .run = [f](const Tensors& x) { return Tensors{f(x.at(0))}; }};
}

at::Tensor run(const Segment& s, const at::Tensor& x, bool checkpointed) {
  return checkpointed ? Checkpoint().run(s, {x}).at(0) : s.run({x}).at(0);
}

/// Gradient of `parameter` through the segment, from the same seed each time.
at::Tensor gradient(const Segment& s, at::Tensor parameter, const at::Tensor& x,
                    bool checkpointed) {
  parameter.mutable_grad().reset();
  seed_generators(at::kCPU, 1);
  run(s, x, checkpointed).sum().backward();
  return parameter.grad();
}

/// What a linear layer computes in, in a checkpointed segment's first and second run, when only the
/// forward is under autocast.
std::vector<at::ScalarType> dtypes_of_both_runs(at::Device device, at::ScalarType dtype) {
  const auto on_device = at::device(device).dtype(at::kFloat);
  const at::Tensor w = at::randn({8, 8}, on_device).requires_grad_(true);
  std::vector<at::ScalarType> dtypes;
  const Segment s = segment([w, &dtypes](const at::Tensor& x) {
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

TEST(Checkpoint, GivesBitEqualGradients) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([w](const at::Tensor& x) { return at::gelu(at::linear(x, w)).tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
}

TEST(Checkpoint, DrawsTheSameDropoutMasksAgain) {
  const at::Tensor w = at::randn({64, 64}).requires_grad_(true);
  const Segment s =
      segment([w](const at::Tensor& x) { return dropout(at::linear(x, w), 0.5).square(); });
  const at::Tensor x = at::randn({4, 64}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
}

TEST(Checkpoint, LeavesTheRandomStreamWhereAPlainRunLeavesIt) {
  const at::Tensor x = at::randn({4, 64}).requires_grad_(true);
  const Segment s = segment([](const at::Tensor& y) { return dropout(y, 0.5).square(); });
  std::vector<at::Tensor> drawn_after;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    run(s, x, checkpointed).sum().backward();
    drawn_after.push_back(at::randn({4}));
  }
  EXPECT_TRUE(at::equal(drawn_after[0], drawn_after[1]));
}

TEST(Checkpoint, AFirstSegmentWhoseInputNeedsNoGradientStillTrains) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const at::Tensor x = at::randn({4, 8});
  ASSERT_TRUE(gradient(s, w, x, true).defined());
  EXPECT_TRUE(at::equal(gradient(s, w, x, false), gradient(s, w, x, true)));
}

TEST(Checkpoint, WorksUnderAutogradGradAndTouchesNoParameterGradient) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  const auto plain = torch::autograd::grad({run(s, x, false).sum()}, {x});
  const auto checkpointed = torch::autograd::grad({run(s, x, true).sum()}, {x});
  EXPECT_TRUE(at::equal(plain[0], checkpointed[0]));
  EXPECT_FALSE(w.grad().defined());
}

TEST(Checkpoint, NestsInItself) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment inner = segment([w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const Segment outer = segment(
      [inner](const at::Tensor& x) { return Checkpoint().run(inner, {x}).at(0).square().tanh(); });
  const Segment plain =
      segment([inner](const at::Tensor& x) { return inner.run({x}).at(0).square().tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  EXPECT_TRUE(at::equal(gradient(plain, w, x, false), gradient(outer, w, x, true)));
}

// Eight links of 32 KiB in one outer checkpoint: only the outer input may stay.
TEST(Checkpoint, NestedInItselfKeepsOnlyTheOuterInput) {
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, recorder);
  const Segment inner = segment([](const at::Tensor& x) { return x.tanh().tanh(); });
  const Segment outer = segment([inner](at::Tensor x) {
    for (int i = 0; i < 8; ++i) x = Checkpoint().run(inner, {x}).at(0);
    return x;
  });
  const at::Tensor x = at::randn({8192}).requires_grad_(true);
  const Bytes before = recorder->current();
  const at::Tensor y = run(outer, x, true);
  EXPECT_LT(recorder->current() - before, 2 * 8192 * 4 + 16 * RandomState::kCpuBytes);
  y.sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(Checkpoint, RefusesAnInputThatWasModifiedInPlaceSince) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 8});
  const Segment s = segment([w](const at::Tensor& y) { return at::linear(y, w).tanh(); });
  const at::Tensor loss = run(s, x, true).sum();
  x.fill_(5);
  EXPECT_THROW(loss.backward(), c10::Error);
}

TEST(Checkpoint, RefusesASecondRunThatSavesAnotherShape) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([w](const at::Tensor& x) {
    return at::linear(recomputing() ? at::cat({x, x}) : x, w).tanh();
  });
  const at::Tensor loss = run(s, at::randn({4, 8}), true).sum();
  EXPECT_THROW(loss.backward(), InternalError);
}

// On a GPU the second run is on the engine's own thread, which starts without autocast.
TEST(Checkpoint, SimRecomputesInTheDevicesAutocastState) {
  const DeviceSession session("sim:h200");
  EXPECT_EQ(dtypes_of_both_runs(session.device(), at::kHalf), (std::vector{at::kHalf, at::kHalf}));
  session.release_caches();  // no recorder heard of its workspaces: the next would miss them
}

TEST(Checkpoint, RecomputesWithTheForwardsAutocastCache) {
  std::vector<bool> cached;
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([&](const at::Tensor& x) {
    cached.push_back(at::autocast::is_autocast_cache_enabled());
    return at::linear(x, w).tanh();
  });
  at::Tensor loss;
  {
    const AutocastGuard autocast(
        {.device_type = at::kCPU, .enabled = true, .dtype = at::kBFloat16, .cache_enabled = false});
    loss = run(s, at::randn({4, 8}), true).sum();
  }
  loss.backward();
  EXPECT_EQ(cached, (std::vector<bool>{false, false}));
}

TEST(Checkpoint, ASecondBackwardThroughARetainedGraphRunsAgain) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  int runs = 0;
  const Segment s = segment([w, &runs](const at::Tensor& x) {
    ++runs;
    return at::linear(x, w).tanh();
  });
  const at::Tensor loss = run(s, at::randn({4, 8}), true).sum();
  loss.backward({}, /*retain_graph=*/true);
  const at::Tensor once = w.grad().clone();
  loss.backward();
  EXPECT_TRUE(at::equal(w.grad(), once * 2));
  EXPECT_EQ(runs, 3);
}

TEST(Checkpoint, StopsTheSecondRunAtTheLastTensorThatIsNeeded) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  int finished = 0;
  const Segment s = segment([w, &finished](const at::Tensor& x) {
    const at::Tensor y = at::linear(x, w).tanh();
    ++finished;
    return y + 1;
  });
  run(s, at::randn({4, 8}), true).sum().backward();
  EXPECT_EQ(finished, 1);
}

TEST(Checkpoint, MovesBatchNormStatisticsOnce) {
  std::vector<at::Tensor> means;
  std::vector<std::int64_t> counts;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    BatchNorm2d norm(4, at::kCPU);
    const at::Tensor x = at::randn({2, 4, 3, 3}).requires_grad_(true);
    const Segment s = segment([&norm](const at::Tensor& y) { return norm.forward(y).tanh(); });
    run(s, x, checkpointed).sum().backward();
    means.push_back(norm.running_mean.clone());
    counts.push_back(norm.num_batches_tracked.item<std::int64_t>());
  }
  EXPECT_TRUE(at::equal(means[0], means[1]));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 1}));
}

TEST(Checkpoint, RecomputesInTheForwardsAutocastState) {
  EXPECT_EQ(dtypes_of_both_runs(at::kCPU, at::kBFloat16),
            (std::vector{at::kBFloat16, at::kBFloat16}));
  EXPECT_FALSE(recomputing());
}

// A recompute used to leave this step's half weights in the cast cache for the next forward.
TEST(Checkpoint, UnderAutocastTrainsLikeAutocastAloneForFiveSteps) {
  std::vector<std::vector<float>> losses;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    const auto model = std::make_shared<TinyModel>();
    const Batch batch = model->example_batch();
    StepPlan plan{.autocast = Autocast{.dtype = at::kBFloat16}};
    if (checkpointed) plan.segment_wrap = std::make_shared<Checkpoint>();
    StepRunner runner(model, plan);
    std::vector<float> trajectory;
    for (int i = 0; i < 5; ++i) trajectory.push_back(runner.step(batch).item<float>());
    losses.push_back(trajectory);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

TEST(Checkpoint, NamesASegmentThatComputesSomethingElseTheSecondTime) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s =
      segment([w](const at::Tensor& x) { return recomputing() ? x * 2 : at::linear(x, w).tanh(); });
  const at::Tensor loss = run(s, at::randn({4, 8}), true).sum();
  try {
    loss.backward();
    FAIL() << "backward accepted a segment that saved nothing when recomputed";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("\"under test\""), std::string::npos);
  }
}

}  // namespace
}  // namespace highwater
