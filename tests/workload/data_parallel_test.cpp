#include "harness/workload/data_parallel.hpp"

#include <gtest/gtest.h>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "harness/workload/random_state.hpp"
#include "tests/support/tiny_model.hpp"

namespace highwater {
namespace {

using testing_support::TinyModel;

constexpr std::int64_t kSamples = 10;

/// On the cpu both replicas are on the one device.
std::unique_ptr<StepRunner> runner_of(const std::shared_ptr<Model>& model, std::int64_t devices,
                                      StepPlan plan = {}) {
  plan.devices = devices;
  std::vector<std::shared_ptr<Model>> replicas;
  for (std::int64_t i = 1; i < devices; ++i) {
    replicas.push_back(std::make_shared<TinyModel>(kSamples));
  }
  return std::make_unique<StepRunner>(model, plan, nullptr, replicas);
}

TEST(DataParallel, GivesTheOriginalParametersTheGradientsOfTheWholeBatch) {
  std::vector<Tensors> gradients;
  for (const std::int64_t devices : {1, 2, 3}) {
    seed_generators(at::kCPU, 1);
    const auto model = std::make_shared<TinyModel>(kSamples);
    const Batch batch = model->example_batch();
    const auto runner = runner_of(model, devices);
    runner->step(batch);
    gradients.emplace_back();
    for (const at::Tensor& parameter : model->parameters()) {
      ASSERT_TRUE(parameter.grad().defined());
      gradients.back().push_back(parameter.grad());
    }
  }
  for (std::size_t p = 0; p < gradients[0].size(); ++p) {
    EXPECT_TRUE(at::allclose(gradients[0][p], gradients[1][p], 1e-6, 1e-7));
    EXPECT_TRUE(at::allclose(gradients[0][p], gradients[2][p], 1e-6, 1e-7));
  }
}

TEST(DataParallel, Trains) {
  const auto model = std::make_shared<TinyModel>(kSamples);
  const Batch batch = model->example_batch();
  const auto runner = runner_of(model, 2);
  const float first = runner->step(batch).item<float>();
  float last = first;
  for (int i = 0; i < 20; ++i) last = runner->step(batch).item<float>();
  EXPECT_LT(last, first);
}

TEST(DataParallel, CopiesTheParametersOfNowToTheReplicasInEveryForward) {
  const auto model = std::make_shared<TinyModel>(kSamples);
  DataParallel parallel(model, {std::make_shared<TinyModel>(kSamples)}, StepPlan{});
  for (const double value : {1.0, 2.0}) {
    const at::NoGradGuard no_grad;
    model->first->weight.fill_(value);
    parallel.replicate();
    EXPECT_TRUE(at::equal(parallel.replicated().at(0), model->first->weight));
  }
  EXPECT_FALSE(parallel.replicated().at(0).is_alias_of(model->first->weight));
}

TEST(DataParallel, BetweenStepsTheReplicasHoldNothing) {
  const auto model = std::make_shared<TinyModel>(kSamples);
  const auto replica = std::make_shared<TinyModel>(kSamples);
  StepRunner runner(model, {.devices = 2}, nullptr, {replica});
  runner.step(model->example_batch());
  for (const at::Tensor& parameter : replica->parameters()) {
    EXPECT_EQ(parameter.numel(), 0);
    EXPECT_FALSE(parameter.grad().defined());
  }
  EXPECT_EQ(runner.replica_bytes(), (8 * 16 + 16 + 16 * 8 + 8) * 4);
}

// A worker thread would start without both.
TEST(DataParallel, EveryReplicaRunsInTheCallersAutocastAndGradientMode) {
  struct Spy final : TinyModel {
    explicit Spy(std::vector<std::pair<at::ScalarType, bool>>& seen)
        : TinyModel(kSamples), seen_(seen) {}
    std::vector<Segment> segments() override {
      return {link("first", [this](const at::Tensor& x) {
        const at::Tensor y = at::linear(x, first->weight.view({16, 8}));
        seen_.emplace_back(y.scalar_type(), y.requires_grad());
        return y.narrow(1, 0, 8).to(at::kFloat);
      })};
    }
    std::vector<std::pair<at::ScalarType, bool>>& seen_;
  };
  std::vector<std::pair<at::ScalarType, bool>> seen;
  const auto model = std::make_shared<Spy>(seen);
  const StepPlan plan{
      .mode = StepMode::no_grad, .devices = 2, .autocast = Autocast{.dtype = at::kBFloat16}};
  StepRunner(model, plan, nullptr, {std::make_shared<Spy>(seen)}).step(model->example_batch());
  const std::pair expected(at::kBFloat16, false);
  EXPECT_EQ(seen, (std::vector{expected, expected}));
}

TEST(DataParallel, SimTheFirstDeviceHoldsMoreThanTheSecondAndTheSecondAWholeReplica) {
  const DeviceSession session("sim:h200");
  const Cell cell{
      .model = "mlp", .preset = "full", .technique = "data_parallel", .device = "sim:h200"};
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const auto metrics = measure_memory(session, cell, plan, Protocol{}).metrics;
  EXPECT_EQ(metrics.at("replica_bytes"), metrics.at("parameters_bytes"));
  // Parameters and gradients of the replica, and the second half of the batch's activations.
  EXPECT_GT(metrics.at("second_device_peak_allocated_bytes"), 2 * metrics.at("replica_bytes"));
  EXPECT_GT(metrics.at("device_skew_bytes"), metrics.at("optimizer_state_bytes") / 2);
  EXPECT_EQ(metrics.at("teardown_bytes"), 0);
}

}  // namespace
}  // namespace highwater
