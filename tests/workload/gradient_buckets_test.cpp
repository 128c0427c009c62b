#include "harness/workload/gradient_buckets.hpp"

#include <gtest/gtest.h>

#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"
#include "harness/workload/random_state.hpp"
#include "tests/support/tiny_model.hpp"

namespace highwater {
namespace {

using testing_support::TinyModel;

/// Gradients after a few steps, which take the buckets through their second assignment.
Tensors trained_gradients(GradientBucketing bucketing, std::int64_t micro_batches,
                          GradientReset reset) {
  seed_generators(at::kCPU, 1);
  const auto model = std::make_shared<TinyModel>(10);
  const Batch batch = model->example_batch();
  StepRunner runner(
      model,
      {.micro_batches = micro_batches, .gradient_reset = reset, .gradient_bucketing = bucketing});
  for (int i = 0; i < 3; ++i) runner.step(batch);
  Tensors gradients;
  for (const at::Tensor& parameter : model->parameters()) {
    gradients.push_back(parameter.grad().clone());
  }
  return gradients;
}

class EveryBucketing
    : public testing::TestWithParam<std::tuple<GradientBucketing, std::int64_t, GradientReset>> {};
INSTANTIATE_TEST_SUITE_P(
    Both, EveryBucketing,
    testing::Combine(testing::Values(GradientBucketing::copies, GradientBucketing::views),
                     testing::Values(1, 3),
                     testing::Values(GradientReset::zero_fill, GradientReset::set_to_none)));

// Averaging after every micro-batch would count the earlier ones twice (pytorch issue 141813).
TEST_P(EveryBucketing, LeavesTheGradientsThatOneProcessAloneComputes) {
  const auto [bucketing, parts, reset] = GetParam();
  const Tensors expected = trained_gradients(GradientBucketing::none, parts, reset);
  const Tensors gradients = trained_gradients(bucketing, parts, reset);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(at::equal(gradients[i], expected[i])) << i;
  }
}

TEST(GradientBuckets, HoldEveryGradientOnce) {
  const TinyModel model;
  EXPECT_EQ(GradientBuckets(model.parameters(), true).bytes(), (8 * 16 + 16 + 16 * 8 + 8) * 4);
}

TEST(GradientBuckets, AreWhatGradientsAreViewsOfIfAskedFor) {
  for (const auto& [bucketing, views] :
       {std::pair(GradientBucketing::copies, false), std::pair(GradientBucketing::views, true)}) {
    const auto model = std::make_shared<TinyModel>();
    StepRunner runner(model, {.gradient_bucketing = bucketing});
    runner.step(model->example_batch());
    const at::Tensor bucket = runner.buckets()->tensors().at(0);
    EXPECT_EQ(model->first->weight.grad().is_alias_of(bucket), views);
  }
}

TEST(GradientBuckets, LeaveTheParametersWithoutHooksWhenTheyGo) {
  const auto model = std::make_shared<TinyModel>();
  const Batch batch = model->example_batch();
  StepRunner(model, {.gradient_bucketing = GradientBucketing::copies}).step(batch);
  EXPECT_NO_THROW(StepRunner(model, StepPlan{}).step(batch));
}

Measurement measured(const std::string& technique) {
  const DeviceSession session("sim:h200");
  const Cell cell{
      .model = "resnet50", .preset = "small", .technique = technique, .device = "sim:h200"};
  return measure_memory(session, cell, make_plan(parse_techniques(technique)), Protocol{}).metrics;
}

// The law of DDP: one more set of gradients, and none where gradients are views.
TEST(GradientBuckets, SimAddOneSetOfGradientsUnlessGradientsAreViews) {
  const Measurement alone = measured("set_to_none");
  const Measurement copies = measured("ddp+set_to_none");
  const Measurement views = measured("ddp_bucket_view+set_to_none");
  const Bytes set = alone.at("gradients_bytes");
  EXPECT_EQ(copies.at("gradient_buckets_bytes"), set);
  EXPECT_EQ(views.at("gradient_buckets_bytes"), set);
  EXPECT_NEAR(copies.at("rest_allocated_bytes") - views.at("rest_allocated_bytes"), set, set / 16);
  EXPECT_EQ(views.at("at_peak_unattributed_bytes"), 0);
  EXPECT_EQ(copies.at("at_peak_unattributed_bytes"), 0);
}

}  // namespace
}  // namespace highwater
