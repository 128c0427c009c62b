#include "harness/workload/model_variant.hpp"

#include <gtest/gtest.h>

#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

TEST(ModelVariant, DividesWidthsAndDepthsButLeavesOne) {
  const ModelVariant variant{.width_divisor = 2, .depth_divisor = 2};
  EXPECT_EQ(variant.width_of(64), 32);
  EXPECT_EQ(variant.width_of(1), 1);
  EXPECT_EQ(variant.depth_of(3), 1);
  EXPECT_EQ(variant.depth_of(1), 1);
}

TEST(ModelVariant, MakesKernelsOfThreeAndMorePointwise) {
  const ModelVariant variant{.small_kernels = true};
  EXPECT_EQ(variant.kernel_of(7), 1);
  EXPECT_EQ(variant.kernel_of(3), 1);
  EXPECT_EQ(variant.kernel_of(2), 2);
  EXPECT_EQ(ModelVariant{}.kernel_of(3), 3);
}

std::int64_t parameters(const std::string& model, const ModelVariant& variant) {
  std::int64_t count = 0;
  for (const at::Tensor& p :
       make_model(model, {.preset = "full", .variant = variant})->parameters())
    count += p.numel();
  return count;
}

// Counted by hand: all channels but colours and classes halve; one block of two convolutions goes
// from each stage; 3x3 weights but the stem's become one of nine.
TEST(ResNet18, IsSmallerByWhatTheVariantSays) {
  const std::int64_t whole = parameters("resnet18", {});
  EXPECT_EQ(parameters("resnet18", {.width_divisor = 2}), 3'055'880);
  EXPECT_EQ(parameters("resnet18", {.depth_divisor = 2}),
            whole - 2 * 9 * (64 * 64 + 128 * 128 + 256 * 256 + 512 * 512) -
                2 * 2 * (64 + 128 + 256 + 512));
  const std::int64_t pointwise = 4 * 64 * 64 + 3 * 128 * 128 + 3 * 256 * 256 + 3 * 512 * 512 +
                                 64 * 128 + 128 * 256 + 256 * 512;
  EXPECT_EQ(parameters("resnet18", {.small_kernels = true}), whole - 8 * pointwise);
}

Workload channels_last(const std::string& model) {
  StepPlan plan;
  plan.variant.channels_last = true;
  return make_workload({.model = model, .preset = "twin", .device = "cpu"}, at::kCPU, plan);
}

TEST(ChannelsLast, IsTheMemoryOrderOfImagesAndConvolutionWeights) {
  const Workload workload = channels_last("unet");
  EXPECT_TRUE(workload.batch.inputs.at(0).is_contiguous(at::MemoryFormat::ChannelsLast));
  for (const at::Tensor& parameter : workload.model->parameters()) {
    if (parameter.dim() != 4) continue;
    EXPECT_TRUE(parameter.is_contiguous(at::MemoryFormat::ChannelsLast)) << parameter.sizes();
  }
}

}  // namespace
}  // namespace highwater
