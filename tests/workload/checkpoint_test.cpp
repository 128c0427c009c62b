#include "harness/workload/checkpoint.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "harness/core/error.hpp"
#include "harness/measure/allocation_recorder.hpp"
#include "harness/workload/autocast_guard.hpp"
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

TEST(Checkpoint, WorksUnderAutogradGradAndTouchesNoParameterGradient) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([w](const at::Tensor& x) { return at::linear(x, w).tanh(); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  const auto plain = torch::autograd::grad({run(s, x, false).sum()}, {x});
  const auto checkpointed = torch::autograd::grad({run(s, x, true).sum()}, {x});
  EXPECT_TRUE(at::equal(plain[0], checkpointed[0]));
  EXPECT_FALSE(w.grad().defined());
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

TEST(Checkpoint, RefusesASecondRunThatSavesAnotherShape) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = segment([w](const at::Tensor& x) {
    return at::linear(recomputing() ? at::cat({x, x}) : x, w).tanh();
  });
  const at::Tensor loss = run(s, at::randn({4, 8}), true).sum();
  EXPECT_THROW(loss.backward(), InternalError);
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
