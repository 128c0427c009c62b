#include "harness/run/inspect_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "harness/core/error.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

Cell cell(const std::string& device, const std::string& technique = "baseline",
          const std::string& model = "gpt2-small") {
  return {.model = model, .preset = "twin", .technique = technique, .device = device};
}

Measurement measured(const Cell& cell) {
  const StepPlan plan = make_plan(parse_techniques(cell.technique));
  const DeviceSession session(cell.device, plan.allocator_settings);
  return measure_memory(session, cell, plan, Protocol{}).metrics;
}

Bytes sum(const std::vector<MemoryPart>& parts, const std::string& category = "") {
  return std::accumulate(parts.begin(), parts.end(), Bytes{0}, [&](Bytes bytes, const auto& part) {
    return bytes + (category.empty() || part.category == category ? part.bytes : 0);
  });
}

/// The same peak, phases and categories as the memory pass, and parts that sum to it.
void expect_agreement(const Cell& cell) {
  const Inspection inspection = inspect_cell(cell, Protocol{});
  const Measurement metrics = measured(cell);
  EXPECT_EQ(inspection.peak_bytes, metrics.at("peak_allocated_bytes"));
  EXPECT_EQ(inspection.rest_bytes, metrics.at("rest_allocated_bytes"));
  EXPECT_EQ(sum(inspection.parts), inspection.peak_bytes);
  for (const PhasePeak& phase : inspection.phases) {
    EXPECT_EQ(phase.peak_bytes, metrics.at(phase.phase + "_peak_allocated_bytes")) << phase.phase;
  }
  for (const auto category : kCategoryNames) {
    const std::string name(category);
    EXPECT_EQ(sum(inspection.parts, name), metrics.at("at_peak_" + name + "_bytes")) << name;
  }
}

std::vector<std::string> modules(const Inspection& inspection, const std::string& category) {
  std::vector<std::string> names;
  for (const MemoryPart& part : inspection.parts) {
    if (part.category == category) names.push_back(part.module);
  }
  return names;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

TEST(InspectPass, AgreesWithTheMemoryPassToTheByte) { expect_agreement(cell("cpu")); }
TEST(InspectPassSim, AgreesWithTheMemoryPassToTheByte) { expect_agreement(cell("sim:h200")); }

TEST(InspectPass, AgreesUnderRecomputationToo) {
  expect_agreement(cell("cpu", "activation_checkpointing"));
}
TEST(InspectPassSim, AgreesUnderRecomputationToo) {
  expect_agreement(cell("sim:h200", "activation_checkpointing"));
}

TEST(InspectPassSim, AgreesWhereGradientsDieInBackward) {
  expect_agreement(cell("sim:h200", "optimizer_in_backward"));
}

// Forward knows its segment; backward is told by the numbers of its nodes; recomputation runs the
// segment again.
void expect_names(const Cell& cell) {
  const Inspection inspection = inspect_cell(cell, Protocol{});
  EXPECT_TRUE(has(modules(inspection, "parameters"), "block.0.qkv"));
  EXPECT_TRUE(has(modules(inspection, "gradients"), "block.0.qkv"));
  EXPECT_TRUE(has(modules(inspection, "inputs"), "batch"));
  EXPECT_EQ(modules(inspection, "optimizer_state"), std::vector<std::string>{"optimizer"});
  EXPECT_EQ(sum(inspection.parts, kUnattributed), 0);
  for (const MemoryPart& part : inspection.parts) {
    EXPECT_NE(part.module, kUnattributed) << part.category << " " << part.bytes;
  }
}

TEST(InspectPass, EveryPartHasAName) { expect_names(cell("cpu")); }
TEST(InspectPassSim, EveryPartHasAName) { expect_names(cell("sim:h200")); }
TEST(InspectPassSim, EveryPartHasANameUnderRecomputationToo) {
  expect_names(cell("sim:h200", "activation_checkpointing"));
}

TEST(InspectPassSim, SavedActivationsBelongToTheSegmentThatMadeThem) {
  const auto names = modules(inspect_cell(cell("sim:h200"), Protocol{}), "saved_activations");
  EXPECT_TRUE(has(names, "block.0"));
  EXPECT_TRUE(has(names, "head") || has(names, "loss"));
}

TEST(InspectPassSim, TheLargestBlocksAreSortedAndNameTheirOperator) {
  const Inspection inspection = inspect_cell(cell("sim:h200"), Protocol{});
  ASSERT_EQ(inspection.largest.size(), kLargestBlocks);
  EXPECT_TRUE(std::ranges::is_sorted(inspection.largest, std::greater{}, &LiveBlock::bytes));
  const bool named = std::ranges::any_of(
      inspection.largest, [](const LiveBlock& block) { return block.op.starts_with("aten::"); });
  EXPECT_TRUE(named);
}

TEST(InspectPassSim, TheAllocatorsOwnPeakIsTheSame) {
  const Inspection inspection = inspect_cell(cell("sim:h200"), Protocol{});
  const auto& stats = inspection.allocator.value().stats;
  EXPECT_EQ(stats.at("allocated_bytes.all").peak, inspection.peak_bytes);
  EXPECT_EQ(stats.at("allocated_bytes.all").current, inspection.rest_bytes);
  EXPECT_EQ(stats.at("allocated_bytes.all").current,
            stats.at("allocated_bytes.large_pool").current +
                stats.at("allocated_bytes.small_pool").current);
}

TEST(InspectPassSim, UnusedBytesAreWhatIsReservedAndNotAllocated) {
  const Inspection inspection = inspect_cell(cell("sim:h200"), Protocol{});
  const Fragmentation& figures = inspection.fragmentation.value();
  EXPECT_EQ(figures.reserved_at_peak_bytes - figures.unused_at_peak_bytes, inspection.peak_bytes);
  EXPECT_EQ(figures.reserved_at_rest_bytes - figures.unused_at_rest_bytes, inspection.rest_bytes);
  EXPECT_GT(figures.largest_unused_bytes, 0);
  EXPECT_LE(figures.largest_unused_bytes, figures.unused_at_rest_bytes);
  EXPECT_GE(figures.reserved_at_peak_bytes, inspection.peak_bytes);
}

TEST(InspectPass, TheCpuHasNoAllocatorToSpeakOf) {
  const Inspection inspection = inspect_cell(cell("cpu"), Protocol{});
  EXPECT_FALSE(inspection.allocator.has_value());
  EXPECT_FALSE(inspection.fragmentation.has_value());
}

}  // namespace
}  // namespace highwater
