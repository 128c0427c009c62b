#include "harness/workload/autocast_guard.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/workload/checkpoint.hpp"
#include "harness/workload/layers.hpp"

namespace highwater {
namespace {

const AutocastState kHalfOnCpu = {.device_type = at::kCPU, .enabled = true, .dtype = at::kHalf};

TEST(AutocastGuard, CastsInsideAndRestoresOutside) {
  const at::Tensor x = at::ones({2, 2});
  {
    const AutocastGuard guard(kHalfOnCpu);
    EXPECT_EQ(at::linear(x, x).scalar_type(), at::kHalf);
  }
  EXPECT_EQ(at::linear(x, x).scalar_type(), at::kFloat);
}

TEST(AutocastGuard, ANestedGuardRestoresTheOuterOne) {
  const AutocastGuard outer(kHalfOnCpu);
  {
    const AutocastGuard inner({.device_type = at::kCPU, .enabled = false, .dtype = at::kHalf});
    EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  }
  EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(AutocastGuard, TheNextRegionSeesChangedWeights) {
  at::Tensor weight = at::ones({1, 1}).requires_grad_(true);
  const at::Tensor x = at::ones({1, 1}).requires_grad_(true);
  for (const float expected : {1.0F, 3.0F}) {
    {
      const at::NoGradGuard no_grad;
      weight.fill_(expected);
    }
    const AutocastGuard guard(kHalfOnCpu);
    EXPECT_EQ(at::linear(x, weight).item<float>(), expected);
  }
}

TEST(AutocastGuard, ALayerUsedTenTimesIsCastOnce) {
  const at::Tensor weight = at::ones({8, 8}).requires_grad_(true);
  const at::Tensor x = at::ones({8, 8}).requires_grad_(true);
  const AutocastGuard guard(kHalfOnCpu);
  const void* first = nullptr;
  for (int i = 0; i < 10; ++i) {
    const at::Tensor cast = at::autocast::cached_cast(at::kHalf, weight, c10::DeviceType::CPU);
    if (first == nullptr) first = cast.data_ptr();
    EXPECT_EQ(cast.data_ptr(), first);
  }
}

// Autocast is of one thread: a worker starts without it.
TEST(AutocastGuard, AStateTakenAlongHoldsInAnotherThread) {
  const at::Tensor x = at::ones({2, 2});
  const AutocastGuard guard(kHalfOnCpu);
  std::vector<at::ScalarType> seen;
  std::thread([&, state = AutocastState::current(at::kCPU)] {
    seen.push_back(at::linear(x, x).scalar_type());
    const AutocastGuard here(state);
    seen.push_back(at::linear(x, x).scalar_type());
  }).join();
  EXPECT_EQ(seen, (std::vector{at::kFloat, at::kHalf}));
}

// pytorch#112583: the cast of the first call had no graph, and the second call found it.
TEST(AutocastGuard, AWeightThatWasReadWithoutAGraphFirstStillGetsItsGradient) {
  const at::Tensor weight = at::randn({8, 8}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 8});
  at::linear(x, weight).square().sum().backward();
  const at::Tensor expected = weight.grad().clone();
  weight.mutable_grad().reset();
  at::Tensor loss;
  {
    const AutocastGuard guard(kHalfOnCpu);
    {
      const at::NoGradGuard no_grad;
      at::linear(x, weight);
    }
    loss = at::linear(x, weight).square().sum();
  }
  loss.backward();
  ASSERT_TRUE(weight.grad().defined());
  EXPECT_TRUE(at::allclose(weight.grad(), expected, /*rtol=*/1e-2, /*atol=*/1e-1));
}

/// Counts the bytes alive since it was made.
class AutocastBytes : public testing::Test {
 protected:
  static constexpr std::int64_t kWidth = 512;
  static constexpr Bytes kHalfWeight = kWidth * kWidth * 2;

  Bytes alive() const { return recorder_->current(); }

  const Checkpoint checkpoint_;

 private:
  std::shared_ptr<AllocationRecorder> recorder_ =
      std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  c10::DebugInfoGuard reporting_{c10::DebugInfoKind::PROFILER_STATE, recorder_};
};

// torch::nn::Linear keeps ten: it casts a transposed view, which the cache does not hold.
TEST_F(AutocastBytes, TenCallsOfALayerKeepOneHalfCopyOfItsWeight) {
  const Linear layer(kWidth, kWidth, at::kCPU);
  for (const std::vector<std::int64_t>& shape :
       {std::vector{kWidth}, {2, kWidth}, {2, 2, kWidth}}) {
    const at::Tensor x = at::randn(shape).requires_grad_(true);
    const AutocastGuard guard(kHalfOnCpu);
    const Bytes before = alive();
    Tensors losses;
    for (int i = 0; i < 10; ++i) losses.push_back(layer.forward(x).sum());
    EXPECT_GE(alive() - before, kHalfWeight);
    EXPECT_LT(alive() - before, 2 * kHalfWeight);
  }
}

TEST_F(AutocastBytes, AModelThatDiesInARegionIsGoneWhenTheRegionEnds) {
  const at::Tensor x = at::randn({2, kWidth});
  const Bytes before = alive();
  {
    const AutocastGuard guard(kHalfOnCpu);
    Linear(kWidth, kWidth, at::kCPU).forward(x);
    EXPECT_GE(alive() - before, kHalfWeight);
  }
  EXPECT_EQ(alive(), before);
}

// pytorch#48049: a region around the loop, and no gradients inside it.
TEST_F(AutocastBytes, ARegionAroundALoopKeepsTheCastsOfItsFirstPassAndNoMore) {
  const Linear layer(kWidth, kWidth, at::kCPU);
  const at::Tensor x = at::randn({2, kWidth});
  const AutocastGuard guard(kHalfOnCpu);
  const at::NoGradGuard no_grad;
  layer.forward(x);
  const Bytes after_one = alive();
  for (int i = 0; i < 10; ++i) layer.forward(x);
  EXPECT_EQ(alive(), after_one);
}

// ecmwf/anemoi-core#134: recomputed segments do not need the casts of their first run, but the
// cache holds them until the region ends.
TEST_F(AutocastBytes, OnlyWithoutItsCacheDoCheckpointedLayersKeepNoCasts) {
  std::vector<std::shared_ptr<Linear>> layers;
  for (int i = 0; i < 16; ++i) {
    layers.push_back(std::make_shared<Linear>(kWidth, kWidth, at::kCPU));
  }
  const auto kept = [&](bool cache) {
    AutocastState state = kHalfOnCpu;
    state.cache_enabled = cache;
    const AutocastGuard guard(state);
    const Bytes before = alive();
    at::Tensor x = at::randn({2, kWidth});
    for (const auto& layer : layers) {
      x = run_part(&checkpoint_, "layer", {x},
                   [&layer](const Tensors& inputs) { return layer->forward(inputs[0]); });
    }
    return alive() - before;
  };
  EXPECT_GE(kept(true), 16 * kHalfWeight);
  EXPECT_LT(kept(false), kHalfWeight);
}

}  // namespace
}  // namespace highwater
