#include "harness/run/cell_runner.hpp"

#include <gtest/gtest.h>

#include "harness/measure/metric.hpp"
#include "harness/run/device_session.hpp"
#include "tests/support/memory_limit.hpp"

namespace highwater {
namespace {

using namespace literals;

Cell cell(const std::string& device) {
  return {.model = "mlp",
          .preset = device == "cpu" ? "twin" : "full",
          .technique = "baseline",
          .device = device};
}

TEST(CellRunner, FillsOnlyDeclaredMetrics) {
  const CellOutcome outcome = run_cell(cell("cpu"), Protocol{});
  EXPECT_GT(outcome.metrics.size(), 20U);
  for (const auto& [metric, value] : outcome.metrics) {
    EXPECT_NE(find_metric(metric), nullptr) << metric;
  }
}

TEST(CellRunner, OnCpuMeasuresTimeAndChecksNumericsButKnowsNoReservedBytes) {
  const CellOutcome outcome = run_cell(cell("cpu"), Protocol{});
  EXPECT_EQ(outcome.kind, OutcomeKind::measured);
  EXPECT_GT(outcome.metrics.at("step_time_nanoseconds"), 0);
  EXPECT_TRUE(outcome.numerics.has_value());
  EXPECT_FALSE(outcome.metrics.contains("peak_reserved_bytes"));
}

TEST(CellRunner, TurnsAnErrorIntoAFailedRowWithItsMessage) {
  Cell unknown = cell("cpu");
  unknown.model = "mlpp";
  const CellOutcome outcome = run_cell(unknown, Protocol{});
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_NE(outcome.reason.find("\"mlp\""), std::string::npos) << outcome.reason;
}

TEST(CellRunner, SkipsABatchThatCannotBeSplitAsPlanned) {
  Cell small = cell("cpu");
  small.batch = 2;
  for (const auto& [technique, parts] : std::map<std::string, std::string>{
           {"gradient_accumulation", "4"}, {"data_parallel+gradient_accumulation:2", "4"}}) {
    small.technique = technique;
    const CellOutcome outcome = run_cell(small, Protocol{});
    EXPECT_EQ(outcome.kind, OutcomeKind::skipped);
    EXPECT_EQ(outcome.reason, "a batch of 2 cannot be split into " + parts + " parts");
  }
}

TEST(CellRunner, SkipsAPresetWhoseOwnBatchCannotBeSplitAsPlanned) {
  Cell many = cell("cpu");
  many.technique = "gradient_accumulation:100000";
  EXPECT_EQ(run_cell(many, Protocol{}).kind, OutcomeKind::skipped);
}

TEST(CellRunner, WarmsUpForAsManyStepsAsTheProtocolSays) {
  const CellOutcome outcome = run_cell(cell("cpu"), Protocol{.warmup_steps = 40});
  EXPECT_EQ(outcome.kind, OutcomeKind::measured) << outcome.reason;
}

TEST(CellRunner, ACompositionCarriesThePromiseOfEachOfItsTechniques) {
  Cell composed = cell("cpu");
  composed.technique = "gradient_accumulation+activation_checkpointing";
  EXPECT_EQ(run_cell(composed, Protocol{}).promises.size(), 2U);
}

TEST(CellRunner, SimMeasuresReservedBytesButNeitherTimeNorNumerics) {
  const CellOutcome outcome = run_cell(cell("sim:h200"), Protocol{});
  EXPECT_EQ(outcome.kind, OutcomeKind::measured);
  EXPECT_GE(outcome.metrics.at("peak_reserved_bytes"), outcome.metrics.at("peak_allocated_bytes"));
  EXPECT_FALSE(outcome.metrics.contains("step_time_nanoseconds"));
  EXPECT_FALSE(outcome.numerics.has_value());
}

// Both threads' cuBLAS workspaces of capability 9.0 and one of cuBLASLt.
TEST(CellRunner, SimNamesTheWorkspaces) {
  const CellOutcome outcome = run_cell(cell("sim:h200"), Protocol{});
  EXPECT_EQ(outcome.metrics.at("workspaces_bytes"), 2 * 33'554'432 + 1'048'576);
}

TEST(CellRunner, SimLeavesNothingBehind) {
  const CellOutcome outcome = run_cell(cell("sim:h200"), Protocol{});
  EXPECT_EQ(outcome.metrics.at("teardown_bytes"), 0);
  EXPECT_EQ(outcome.metrics.at("leak_bytes"), 0);
}

TEST(CellRunner, SimAttributesThePeakToTheLastByte) {
  const CellOutcome outcome = run_cell(cell("sim:h200"), Protocol{});
  Bytes sum = 0;
  for (const auto& [metric, value] : outcome.metrics) {
    if (metric.starts_with("at_peak_")) sum += value;
  }
  EXPECT_EQ(sum, outcome.metrics.at("peak_allocated_bytes"));
  EXPECT_EQ(outcome.metrics.at("at_peak_unattributed_bytes"), 0);
}

// A batch of 2^28 rows wants 512 GiB for its first hidden layer.
TEST(CellRunner, SimOutOfMemoryIsARowWithWantedFreeAndCapacity) {
  Cell large = cell("sim:h200");
  large.batch = 1LL << 28;
  const CellOutcome outcome = run_cell(large, Protocol{});
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_memory);
  EXPECT_NE(outcome.reason.find("wanted 512.00 GiB"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("capacity"), std::string::npos) << outcome.reason;
}

// From a limit that fits nothing up to one that fits all: whichever allocation is the first that
// fails, of tensors or workspaces, on this thread or the engine's, the cell ends as a row.
TEST(CellRunner, SimUnderAnyLimitIsMeasuredOrOutOfMemory) {
  const DeviceSession session("sim:h200");
  for (const char* technique : {"baseline", "autocast_fp16", "checkpoint_reentrant", "oom_retry"}) {
    Cell limited = cell("sim:h200");
    limited.technique = technique;
    std::vector<OutcomeKind> kinds;
    for (Bytes limit = 1_MiB; limit < 200_MiB; limit += 9_MiB) {
      session.release_caches();
      const testing_support::MemoryLimit memory_limit(limit);
      const CellOutcome outcome = run_cell(limited, Protocol{});
      kinds.push_back(outcome.kind);
      EXPECT_TRUE(kinds.back() == OutcomeKind::out_of_memory ||
                  kinds.back() == OutcomeKind::measured)
          << technique << " in " << format_bytes(limit) << ": " << outcome.reason;
    }
    EXPECT_EQ(kinds.front(), OutcomeKind::out_of_memory) << technique;
    EXPECT_EQ(kinds.back(), OutcomeKind::measured) << technique;
  }
}

TEST(CellRunner, HostOutOfMemoryIsOutOfMemoryToo) {
  Cell large = cell("cpu");
  large.batch = 1LL << 42;
  EXPECT_EQ(run_cell(large, Protocol{}).kind, OutcomeKind::out_of_memory);
}

}  // namespace
}  // namespace highwater
