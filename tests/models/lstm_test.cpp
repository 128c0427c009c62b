#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/run/cell_runner.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "harness/workload/checkpoint.hpp"
#include "tests/support/failing_allocator.hpp"

namespace highwater {
namespace {

const Cell kCell = {.model = "lstm-lm", .preset = "twin", .technique = "baseline", .device = "cpu"};

StepPlan forward_only() {
  StepPlan plan;
  plan.mode = StepMode::no_grad;
  return plan;
}

/// Losses of three steps on one batch, without dropout.
std::vector<float> losses(const StepPlan& plan) {
  const Workload workload = make_workload(kCell, at::kCPU, plan, nullptr, /*dropout=*/0.0);
  std::vector<float> losses;
  for (int i = 0; i < 3; ++i) {
    losses.push_back(workload.runner->step(workload.batch).item<float>());
  }
  return losses;
}

TEST(Lstm, BeginsAStepWhereTheOneBeforeEnded) {
  const auto loss = losses(forward_only());
  EXPECT_NE(loss[0], loss[1]);
  EXPECT_NE(loss[1], loss[2]);
}

TEST(Lstm, CarriesTheStateOfEachMicroBatchByItself) {
  StepPlan parts;
  parts.micro_batches = 2;
  const auto whole = losses(StepPlan{});
  const auto split = losses(parts);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(split[i], whole[i], 1e-4);
}

// The loss of a validation stood in the way of training: the next step went on from its state.
TEST(Lstm, AValidationDoesNotMoveTheStateOfTraining) {
  StepPlan logged;
  for (const LossLog log : {LossLog::detached_total, LossLog::attached_total}) {
    logged.loss_log = log;
    EXPECT_EQ(losses(logged), losses(StepPlan{}));
  }
}

TEST(Lstm, IsNotTrainedInReplicas) {
  Cell replicated = kCell;
  replicated.technique = "data_parallel";
  const StepPlan plan = make_plan(parse_techniques(replicated.technique));
  EXPECT_THROW(make_workload(replicated, at::kCPU, plan), InapplicableError);
}

// The scaler skips the first steps of an fp16 LSTM, and the recurrence must not go on from them.
TEST(Lstm, StepsThatTheScalerSkipsAreComparedFromTheStateBeforeThem) {
  Cell half = kCell;
  half.technique = "fp16_master_weights";
  EXPECT_EQ(run_cell(half, Protocol{}).numerics.value().verdict, "within_tolerance");
}

TEST(Lstm, RecomputesALayerFromTheStateItBeganWith) {
  StepPlan checkpointed;
  checkpointed.segment_wrap = std::make_shared<Checkpoint>();
  EXPECT_EQ(losses(checkpointed), losses(StepPlan{}));
}

// The second step halves its micro-batch, and each half goes on from its half of the state.
TEST(Lstm, GoesOnFromItsStateWhereALaterStepRunsOutOfMemory) {
  const auto whole = losses(StepPlan{});
  for (const std::int64_t allocation : {10, 100, 400}) {
    testing_support::FailingAllocator allocator;
    const StepPlan plan{.oom_retry = OutOfMemoryRetry{}};
    const Workload workload = make_workload(kCell, at::kCPU, plan, &allocator, /*dropout=*/0.0);
    EXPECT_EQ(workload.runner->step(workload.batch).item<float>(), whole[0]);
    allocator.fail_at(allocation);
    EXPECT_NEAR(workload.runner->step(workload.batch).item<float>(), whole[1], 1e-5);
    EXPECT_NEAR(workload.runner->step(workload.batch).item<float>(), whole[2], 1e-4);
    EXPECT_EQ(workload.runner->oom_retries(), 1);
  }
}

std::int64_t growth(bool attached_state, int steps) {
  StepPlan plan;
  plan.mode = StepMode::forward_with_graph;
  plan.variant.attached_state = attached_state;
  return measure_memory(DeviceSession("cpu"), kCell, plan, Protocol{.measured_steps = steps})
      .metrics.at("leak_bytes");
}

TEST(Lstm, KeepsAsMuchForEveryStepWhoseStateIsNotDetachedAndElseNothing) {
  EXPECT_EQ(growth(false, 5), 0);
  EXPECT_GT(growth(true, 2), 0);
  EXPECT_EQ(growth(true, 5), 4 * growth(true, 2));
}

// pytorch#46649: a hundred forwards of a recurrence under autocast ran out of memory.
TEST(Lstm, UnderAutocastAHundredForwardsWithoutGradientsKeepNothing) {
  StepPlan plan = forward_only();
  plan.autocast = Autocast{.dtype = at::kBFloat16};
  const auto metrics =
      measure_memory(DeviceSession("cpu"), kCell, plan, Protocol{.measured_steps = 100}).metrics;
  EXPECT_EQ(metrics.at("leak_bytes"), 0);
  EXPECT_EQ(metrics.at("teardown_bytes"), 0);
}

}  // namespace
}  // namespace highwater
