#include "harness/workload/step_runner.hpp"

#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/workload/random_state.hpp"
#include "tests/support/tiny_model.hpp"

namespace highwater {
namespace {

using testing_support::TinyModel;

/// Keeps the order of phases.
class PhaseList : public PhaseObserver {
 public:
  void phase_begins(Phase phase) override { begun.push_back(phase); }
  void phase_ends(Phase phase) override { EXPECT_EQ(begun.back(), phase); }
  std::vector<Phase> begun;
};

std::vector<at::Tensor> gradients_after_one_step(const StepPlan& plan, std::int64_t batch_size) {
  seed_generators(at::kCPU, 1);
  const auto model = std::make_shared<TinyModel>(batch_size);
  StepRunner runner(model, plan);
  runner.step(model->example_batch());
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : runner.parameters()) gradients.push_back(parameter.grad());
  return gradients;
}

TEST(StepRunner, RunsTheFourPhasesInOrder) {
  PhaseList phases;
  const auto model = std::make_shared<TinyModel>();
  StepRunner(model, StepPlan{}, &phases).step(model->example_batch());
  EXPECT_EQ(phases.begun,
            (std::vector{Phase::zero_grad, Phase::forward, Phase::backward, Phase::optimizer}));
}

TEST(StepRunner, RepeatsForwardAndBackwardForEachMicroBatch) {
  PhaseList phases;
  const auto model = std::make_shared<TinyModel>();
  StepRunner(model, StepPlan{.micro_batches = 2}, &phases).step(model->example_batch());
  EXPECT_EQ(phases.begun, (std::vector{Phase::zero_grad, Phase::forward, Phase::backward,
                                       Phase::forward, Phase::backward, Phase::optimizer}));
}

TEST(StepRunner, AccumulatesToTheGradientsOfTheWholeBatchWithAnUnevenLastPart) {
  const auto whole = gradients_after_one_step(StepPlan{}, 10);
  const auto parts = gradients_after_one_step(StepPlan{.micro_batches = 4}, 10);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_TRUE(at::allclose(whole[i], parts[i], 1e-5, 1e-8));
  }
}

TEST(StepRunner, ReturnsTheMeanLossOverTheWholeBatch) {
  std::vector<float> losses;
  for (const std::int64_t parts : {1, 4}) {
    seed_generators(at::kCPU, 1);
    const auto model = std::make_shared<TinyModel>(10);
    StepRunner runner(model, StepPlan{.micro_batches = parts});
    losses.push_back(runner.step(model->example_batch()).item<float>());
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-6);
}

TEST(StepRunner, TheLossHoldsNoGraph) {
  const auto model = std::make_shared<TinyModel>();
  EXPECT_FALSE(StepRunner(model, StepPlan{}).step(model->example_batch()).requires_grad());
}

TEST(StepRunner, ZeroFillingKeepsTheGradientsStorageAndSetToNoneDoesNot) {
  for (const GradientReset reset : {GradientReset::zero_fill, GradientReset::set_to_none}) {
    const auto model = std::make_shared<TinyModel>();
    const Batch batch = model->example_batch();
    StepRunner runner(model, StepPlan{.gradient_reset = reset});
    runner.step(batch);
    const at::Tensor before = runner.parameters()[0].grad();
    runner.step(batch);
    const bool same = runner.parameters()[0].grad().is_same(before);
    EXPECT_EQ(same, reset == GradientReset::zero_fill);
  }
}

// An optimizer that stands still: then a second step's gradients are the first's again.
TEST(StepRunner, NeitherWayOfClearingLeavesAnythingOfTheLastStepsGradients) {
  struct Frozen : Optimizer {
    void step() override {}
    std::vector<at::Tensor> state_tensors() const override { return {}; }
  };
  for (const GradientReset reset : {GradientReset::zero_fill, GradientReset::set_to_none}) {
    StepPlan plan{.gradient_reset = reset};
    plan.optimizer.make = [](std::vector<at::Tensor>) { return std::make_unique<Frozen>(); };
    const auto model = std::make_shared<TinyModel>();
    const Batch batch = model->example_batch();
    StepRunner runner(model, plan);
    runner.step(batch);
    const at::Tensor once = runner.parameters()[0].grad().clone();
    runner.step(batch);
    EXPECT_TRUE(at::equal(runner.parameters()[0].grad(), once));
  }
}

// Divided by the scale once, and before the limit is applied: else it would cut every gradient.
TEST(StepRunner, ScalingAccumulatingAndClippingTogetherGiveTheUnscaledGradients) {
  StepPlan plan{.micro_batches = 4, .gradient_clip = GradientClip{.limit = 0.1}};
  const auto plain = gradients_after_one_step(plan, 10);
  plan.gradient_scaler = true;
  const auto scaled = gradients_after_one_step(plan, 10);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(at::allclose(scaled[i], plain[i]));
}

int scalars_read = 0;

// Each waits for the device.
TEST(StepRunner, AStepWithAScalerReadsOneScalarBackAndOneWithoutNone) {
  const auto count = at::RecordFunctionCallback(
      [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
        if (std::string_view(function.name()) == "aten::_local_scalar_dense") ++scalars_read;
        return nullptr;
      });
  for (const bool scales : {false, true}) {
    const auto model = std::make_shared<TinyModel>();
    const Batch batch = model->example_batch();
    StepRunner runner(model, StepPlan{.gradient_scaler = scales});
    runner.step(batch);
    scalars_read = 0;
    const auto handle = at::addThreadLocalCallback(count);
    runner.step(batch);
    at::removeCallback(handle);
    EXPECT_EQ(scalars_read, scales ? 1 : 0);
  }
}

TEST(StepRunner, CountsOnlyUpdatesThatHappened) {
  const auto model = std::make_shared<TinyModel>();
  Batch batch = model->example_batch();
  StepRunner runner(model,
                    StepPlan{.autocast = Autocast{.dtype = at::kHalf}, .gradient_scaler = true});
  runner.step(batch);
  EXPECT_EQ(runner.updates(), 1);
  batch.inputs[0].fill_(std::numeric_limits<float>::infinity());
  runner.step(batch);
  EXPECT_EQ(runner.updates(), 1);
}

/// Growth of the bytes alive over three steps, after one.
Bytes growth(const StepPlan& plan) {
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, recorder);
  const auto model = std::make_shared<TinyModel>();
  const Batch batch = model->example_batch();
  StepRunner runner(model, plan);
  runner.step(batch);
  const Bytes before = recorder->current();
  for (int i = 0; i < 3; ++i) runner.step(batch);
  return recorder->current() - before;
}

// What one forward of the tiny model saves: tanh's results of 4 x 16 and 4 x 8 floats, and the
// difference that is squared.
TEST(StepRunner, ATotalOfAttachedValidationLossesKeepsTheActivationsOfEveryStep) {
  EXPECT_GE(growth({.loss_log = LossLog::attached_total}), 3 * 4 * (16 + 8 + 8) * 4);
}

TEST(StepRunner, ATotalOfDetachedValidationLossesKeepsNothing) {
  EXPECT_EQ(growth({.loss_log = LossLog::detached_total}), 0);
}

// TorchSharp#1327: what was taken for a leak was activations without mixed precision.
TEST(StepRunner, StepsLeaveAsManyBytesAsTheyFoundWithAutocastAndWithout) {
  EXPECT_EQ(growth({}), 0);
  EXPECT_EQ(growth({.autocast = Autocast{.dtype = at::kBFloat16}}), 0);
  EXPECT_EQ(growth({.autocast = Autocast{.dtype = at::kHalf}, .gradient_scaler = true}), 0);
}

TEST(StepRunner, ValidationChangesNothingThatIsTrained) {
  const auto plain = gradients_after_one_step(StepPlan{}, 4);
  const auto validated = gradients_after_one_step({.loss_log = LossLog::attached_total}, 4);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(at::equal(plain[i], validated[i]));
}

TEST(StepPlan, DiffersFromTheDefaultInExactlyTheEditedField) {
  EXPECT_EQ(differing_fields(StepPlan{}, StepPlan{.micro_batches = 2}),
            (std::vector<std::string>{"micro_batches"}));
  EXPECT_TRUE(differing_fields(StepPlan{}, StepPlan{}).empty());
}

}  // namespace
}  // namespace highwater
