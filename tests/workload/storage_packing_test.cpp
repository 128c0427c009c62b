#include "harness/workload/storage_packing.hpp"

#include <gtest/gtest.h>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/step_runner.hpp"
#include "tests/support/tiny_model.hpp"

namespace highwater {
namespace {

using testing_support::TinyModel;

/// Copies what it is given, and counts.
struct Counts {
  int packed = 0;
  int unpacked = 0;

  Pack pack() {
    return [this](const at::Tensor& whole) -> Unpack {
      ++packed;
      return [this, copy = whole.clone()] {
        ++unpacked;
        return copy.clone();
      };
    };
  }
};

TEST(StoragePacking, PacksATensorOnceThatTwoNodesSave) {
  Counts counts;
  const at::Tensor x = at::randn({8}).requires_grad_(true);
  at::Tensor y;
  {
    const SavedTensorHooksGuard guard(pack_each_storage_once(counts.pack(), {x}));
    y = x.relu().tanh() + x.relu().square();  // each relu's result: by itself, and by square
  }
  EXPECT_EQ(counts.packed, 3);  // two results of relu and one of tanh
  y.sum().backward();
  EXPECT_TRUE(x.grad().defined());
}

TEST(StoragePacking, PacksAStorageOnceOfWhichThreeViewsAreSaved) {
  Counts counts;
  const at::Tensor x = at::randn({4, 6}).requires_grad_(true);
  const SavedTensorHooksGuard guard(pack_each_storage_once(counts.pack(), {x}));
  const auto parts = (x * 2).chunk(3, 1);
  const at::Tensor y = parts[0] * parts[1] + parts[2].square();
  EXPECT_EQ(counts.packed, 1);
}

TEST(StoragePacking, NodesThatNeedAStorageTogetherUnpackItOnce) {
  Counts counts;
  const at::Tensor x = at::randn({4, 6}).requires_grad_(true);
  at::Tensor y;
  {
    const SavedTensorHooksGuard guard(pack_each_storage_once(counts.pack(), {x}));
    const auto parts = (x * 2).chunk(2, 1);
    y = parts[0] * parts[1];
  }
  y.sum().backward();
  EXPECT_EQ(counts.unpacked, 1);
}

TEST(StoragePacking, LeavesWhatStaysAliveAndItsViewsAsTheyAre) {
  Counts counts;
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 8});
  const SavedTensorHooksGuard guard(pack_each_storage_once(counts.pack(), {w, x}));
  at::mm(x.narrow(0, 0, 2), w.t());
  EXPECT_EQ(counts.packed, 0);
}

TEST(StoragePacking, PacksAgainWhatWasModifiedInPlaceSince) {
  Counts counts;
  const at::Tensor x = at::randn({8}).requires_grad_(true);
  at::Tensor loss;
  {
    const SavedTensorHooksGuard guard(pack_each_storage_once(counts.pack(), {x}));
    at::Tensor y = x * 1.0;
    loss = y.square().sum();
    y.add_(1.0);
    loss = loss + y.square().sum();
  }
  EXPECT_EQ(counts.packed, 2);
  loss.backward();
  EXPECT_TRUE(at::allclose(x.grad(), 2 * x + 2 * (x + 1)));
}

// Four links of 32 KiB, of which the packed form is empty: forward may hold two at a time.
TEST(StoragePacking, FreesDuringForwardWhatItPacked) {
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  const c10::DebugInfoGuard reporting(c10::DebugInfoKind::PROFILER_STATE, recorder);
  const Pack to_nothing = [](const at::Tensor& whole) -> Unpack {
    return [options = whole.options(), size = whole.numel()] { return at::zeros({size}, options); };
  };
  const at::Tensor x = at::randn({8192}).requires_grad_(true);
  const Bytes before = recorder->current();
  recorder->reset_peak();
  const SavedTensorHooksGuard guard(pack_each_storage_once(to_nothing, {x}));
  at::Tensor y = x;
  for (int i = 0; i < 4; ++i) y = y.tanh();
  EXPECT_EQ(recorder->peak() - before, 2 * 8192 * 4);
  EXPECT_EQ(recorder->current() - before, 8192 * 4);
}

TEST(StoragePacking, SurvivesASecondBackwardThroughARetainedGraph) {
  Counts counts;
  const at::Tensor x = at::randn({8}).requires_grad_(true);
  at::Tensor loss;
  {
    const SavedTensorHooksGuard guard(pack_each_storage_once(counts.pack(), {x}));
    loss = x.exp().sum();
  }
  loss.backward({}, /*retain_graph=*/true);
  loss.backward();
  EXPECT_TRUE(at::equal(x.grad(), 2 * x.detach().exp()));
}

Tensors gradients_under(const std::string& techniques) {
  seed_generators(at::kCPU, 1);
  const auto model = std::make_shared<TinyModel>();
  StepRunner runner(model, make_plan(parse_techniques(techniques)));
  runner.step(model->example_batch());
  Tensors gradients;
  for (const at::Tensor& parameter : runner.parameters()) gradients.push_back(parameter.grad());
  return gradients;
}

class EveryPacking : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, EveryPacking,
                         testing::Values("activation_offload", "activation_bf16"));

TEST_P(EveryPacking, PacksTheInputsOfACheckpointToo) {
  for (const char* checkpoint : {"activation_checkpointing", "checkpoint_reentrant"}) {
    const auto plain = gradients_under(checkpoint);
    const auto packed = gradients_under(GetParam() + "+" + checkpoint);
    const bool is_exact = GetParam() == "activation_offload";
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_TRUE(at::allclose(plain[i], packed[i], is_exact ? 0 : 5e-2, is_exact ? 0 : 1e-3));
    }
    EXPECT_EQ(at::equal(plain[0], packed[0]), is_exact) << checkpoint;
  }
}

// In double precision, which neither rounds.
TEST_P(EveryPacking, GivesGradientsThatAgreeWithDifferenceQuotients) {
  const auto packing = make_plan(parse_techniques(GetParam())).packing;
  const at::Tensor w = at::randn({6, 6}, at::kDouble).requires_grad_(true);
  const at::Tensor x = at::randn({4, 6}, at::kDouble);
  const auto loss = [&] {
    const SavedTensorHooksGuard guard(packing->hooks_of_a_forward({w, x}));
    const at::Tensor y = at::linear(x, w).tanh();
    return (y.exp() * at::linear(y, w)).sum();
  };
  loss().backward();
  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (std::int64_t i = 0; i < w.numel(); ++i) {
    const at::Tensor weight = w.view({-1})[i];
    weight.add_(kStep);
    const double above = loss().item<double>();
    weight.sub_(2 * kStep);
    const double below = loss().item<double>();
    weight.add_(kStep);
    EXPECT_NEAR(w.grad().view({-1})[i].item<double>(), (above - below) / (2 * kStep), 1e-6);
  }
}

}  // namespace
}  // namespace highwater
