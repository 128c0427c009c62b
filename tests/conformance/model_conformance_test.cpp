// Every model in the registry, without naming one: a new file in models/ is tested by being there.

#include <gtest/gtest.h>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/measure/memory_meter.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "tests/support/model_parameters.hpp"

namespace highwater {
namespace {

Cell twin(const std::string& model) {
  return {.model = model, .preset = "twin", .technique = "baseline", .device = "cpu"};
}

class EveryModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Registry, EveryModel, testing::ValuesIn(model_names()), model_test_name);

TEST_P(EveryModel, HasAFullPresetAndATwin) {
  const auto& parameters = ModelRegistry::instance().find(GetParam()).parameters;
  EXPECT_TRUE(parameters.contains("full"));
  EXPECT_TRUE(parameters.contains("twin"));
}

TEST_P(EveryModel, HasSegmentsWithDistinctNamesSomeOfThemRecomputable) {
  const auto model = make_model(GetParam(), {.preset = "twin"});
  std::set<std::string> names;
  bool recomputable = false;
  for (const Segment& segment : model->segments()) {
    EXPECT_TRUE(names.insert(segment.name).second) << segment.name;
    recomputable = recomputable || segment.recomputable;
  }
  EXPECT_TRUE(recomputable);
}

TEST_P(EveryModel, GivesEveryParameterAGradient) {
  const Workload workload = make_workload(twin(GetParam()), at::kCPU, StepPlan{});
  workload.runner->step(workload.batch);
  for (const auto& parameter : workload.model->named_parameters()) {
    EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
  }
}

TEST_P(EveryModel, IsTheSameAgainForTheSameSeed) {
  const auto loss = [this] {
    const Workload workload = make_workload(twin(GetParam()), at::kCPU, StepPlan{});
    workload.runner->step(workload.batch);
    return workload.runner->step(workload.batch).item<float>();
  };
  EXPECT_EQ(loss(), loss());
}

TEST_P(EveryModel, KeepsActivationsThatAreAffineInTheBatch) {
  std::vector<std::int64_t> kept;
  for (const std::int64_t batch : {4, 8, 12}) {
    Cell cell = twin(GetParam());
    cell.batch = batch;
    kept.push_back(measure_memory(DeviceSession("cpu"), cell, StepPlan{}, Protocol{})
                       .metrics.at("activations_after_forward_bytes"));
  }
  EXPECT_EQ(kept[2] - kept[1], kept[1] - kept[0]);
  EXPECT_GT(kept[1], kept[0]);
}

TEST_P(EveryModel, NeitherLeaksNorLeavesAnythingBehind) {
  const auto result = measure_memory(DeviceSession("cpu"), twin(GetParam()), StepPlan{},
                                     Protocol{.measured_steps = 6});
  EXPECT_EQ(result.metrics.at("leak_bytes"), 0);
  EXPECT_EQ(result.metrics.at("teardown_bytes"), 0);
  EXPECT_EQ(result.metrics.at("at_peak_unattributed_bytes"), 0);
  EXPECT_EQ(result.attributes.at("steady"), "true");
}

// The full preset is only bytes here: the simulated GPU holds none of it.
TEST_P(EveryModel, SimHasTheDeclaredNumberOfParametersAtFullSize) {
  const DeviceSession session("sim:h200");
  const auto model = make_model(GetParam(), {.preset = "full", .device = session.device()});
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model->parameters()) count += parameter.numel();
  EXPECT_EQ(count, ModelRegistry::instance().find(GetParam()).parameters.at("full"));
}

}  // namespace
}  // namespace highwater
