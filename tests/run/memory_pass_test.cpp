// What parts of a training loop do to the bytes of a step, on the smallest model.

#include "harness/run/memory_pass.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

constexpr Bytes kLayer = 64 * 32 * 4;  ///< output of a hidden layer: batch x width, fp32

Measurement measured(const StepPlan& plan) {
  const Cell cell = {.model = "mlp", .preset = "twin", .device = "cpu"};
  return measure_memory(DeviceSession("cpu"), cell, plan, Protocol{}).metrics;
}

/// What forward needs at its highest beside parameters and batch.
Bytes forward_bytes(StepMode mode, std::int64_t depth_divisor) {
  const auto metrics = measured({.mode = mode, .variant = {.depth_divisor = depth_divisor}});
  return metrics.at("forward_peak_allocated_bytes") - metrics.at("parameters_bytes") -
         metrics.at("inputs_bytes");
}

// pytorch#40133: without the guard, C++ ran out of memory at a sixteenth of Python's input. A layer
// needs its input, its sum and its activation, and the chain holds the input of its segment.
TEST(MemoryPass, WithoutAGraphForwardNeedsFourActivationsThoughThereAreEightLayers) {
  EXPECT_EQ(forward_bytes(StepMode::no_grad, 1), 4 * kLayer);
  EXPECT_EQ(forward_bytes(StepMode::inference_mode, 1), 4 * kLayer);
}

TEST(MemoryPass, WithAGraphForwardNeedsOneMoreActivationForEveryLayer) {
  const Bytes deep = forward_bytes(StepMode::forward_with_graph, 1);
  EXPECT_GE(deep, 8 * kLayer);
  EXPECT_EQ(deep - forward_bytes(StepMode::forward_with_graph, 2), 4 * kLayer);
}

// pytorch#41696: gradients that are filled with zeros lie there during the next forward.
TEST(MemoryPass, ForwardPeaksLowerByTheGradientsWhereTheyAreSetToNone) {
  const auto filled = measured({.gradient_reset = GradientReset::zero_fill});
  const auto none = measured({.gradient_reset = GradientReset::set_to_none});
  const std::string peak = "forward_peak_allocated_bytes";
  EXPECT_EQ(filled.at(peak) - none.at(peak), filled.at("gradients_bytes"));
}

}  // namespace
}  // namespace highwater
