// Google Benchmark, smaller-is-better and Bencher.

#include <gtest/gtest.h>

#include "tests/export/export_sample.hpp"

namespace highwater {
namespace {

// Its numbers are there, and mean nothing.
CellRecord incorrect() {
  auto record = unmeasured_record("save", OutcomeKind::incorrect, "the loss differs");
  record.outcome.metrics = {{"peak_allocated_bytes", 1}};
  return record;
}

TEST(GoogleBenchmarkExport, TheNameIsTheCellsIdAndMetricsAreCounters) {
  const auto row =
      SampleExport({sample_record("baseline", 512)}).json("google-benchmark")["benchmarks"][0];
  EXPECT_EQ(row.at("name"), sample_id("baseline"));
  EXPECT_EQ(row.at("run_name"), sample_id("baseline"));
  EXPECT_EQ(row.at("peak_allocated_bytes"), 512);
  EXPECT_EQ(row.at("leak_bytes"), 0);
  EXPECT_FALSE(row.contains("error_occurred"));
}

TEST(GoogleBenchmarkExport, AMeasuredStepIsTheTimeAndAnUntimedOneIsZero) {
  auto timed = sample_record("save", 1);
  timed.outcome.metrics["step_time_nanoseconds"] = 12'500'000;
  const auto rows =
      SampleExport({sample_record("baseline", 1), timed}).json("google-benchmark")["benchmarks"];
  EXPECT_EQ(rows[0].at("real_time"), 0);
  EXPECT_EQ(rows[1].at("real_time"), 12'500'000);
  EXPECT_EQ(rows[1].at("time_unit"), "ns");
}

TEST(GoogleBenchmarkExport, TheHighEndIsACounterOfItsOwn) {
  const auto row =
      SampleExport({bounded_record("save", 10, 14)}).json("google-benchmark")["benchmarks"][0];
  EXPECT_EQ(row.at("peak_allocated_bytes"), 10);
  EXPECT_EQ(row.at("peak_allocated_bytes_high"), 14);
}

TEST(GoogleBenchmarkExport, ACellThatWasNotMeasuredIsAnErrorWithItsReason) {
  const auto row = SampleExport({incorrect()}).json("google-benchmark")["benchmarks"][0];
  EXPECT_EQ(row.at("error_occurred"), true);
  EXPECT_EQ(row.at("error_message"), "incorrect: the loss differs");
  EXPECT_FALSE(row.contains("peak_allocated_bytes"));
}

TEST(GoogleBenchmarkExport, TheContextSaysWhereAndWithWhatItWasMeasured) {
  const auto context = SampleExport({}).json("google-benchmark")["context"];
  EXPECT_EQ(context.at("date"), "2026-01-31T12:00:00Z");
  EXPECT_EQ(context.at("suite"), "default");
  EXPECT_EQ(context.at("testbed:sim:h200"), "bed");
  EXPECT_EQ(context.at("version:highwater"), "0.1.0");
}

TEST(SmallerIsBetterExport, HoldsTheGatedMetricsOfMeasuredCellsAlone) {
  auto record = sample_record("baseline", 512);
  record.outcome.metrics["inputs_bytes"] = 3;
  const auto entries = SampleExport({record, incorrect()}).json("smaller-is-better");
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.at("name"));
  const std::string id = sample_id("baseline");
  EXPECT_EQ(names, (std::vector<std::string>{id + ": peak_allocated_bytes",
                                             id + ": peak_reserved_bytes", id + ": leak_bytes"}));
}

TEST(SmallerIsBetterExport, AnEntryHasUnitValueAndWhatExplainsIt) {
  const auto entry = SampleExport({sample_record("baseline", 512)}).json("smaller-is-better")[0];
  EXPECT_EQ(entry.at("unit"), "bytes");
  EXPECT_EQ(entry.at("value"), 512);
  EXPECT_EQ(entry.at("extra"), "verdict: new\ncertainty: exact\npeak phase: forward");
  EXPECT_FALSE(entry.contains("range"));
}

TEST(SmallerIsBetterExport, TheHighEndIsTheRange) {
  const auto entry = SampleExport({bounded_record("save", 10, 14)}).json("smaller-is-better")[0];
  EXPECT_EQ(entry.at("value"), 10);
  EXPECT_EQ(entry.at("range"), "high end 14");
}

TEST(SmallerIsBetterExport, ARunThatMeasuredNothingIsAnEmptyArray) {
  EXPECT_EQ(SampleExport({incorrect()}).text("smaller-is-better"), "[]\n");
}

TEST(BencherExport, HoldsEveryMetricOfMeasuredCellsAlone) {
  const auto cells = SampleExport({sample_record("baseline", 512), incorrect()}).json("bencher");
  EXPECT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells.at(sample_id("baseline")),
            nlohmann::json::parse(R"({"peak-allocated-bytes": {"value": 512},
              "peak-reserved-bytes": {"value": 512}, "leak-bytes": {"value": 0}})"));
}

TEST(BencherExport, TheSmallerEndIsTheLowerValueWhicheverItIs) {
  for (const auto& [low, high] : {std::pair{10, 14}, std::pair{14, 10}}) {
    const auto cells = SampleExport({bounded_record("save", low, high)}).json("bencher");
    EXPECT_EQ(cells.at(sample_id("save")).at("peak-allocated-bytes"),
              nlohmann::json({{"value", low}, {"lower_value", 10}, {"upper_value", 14}}));
  }
}

TEST(BencherExport, ARunThatMeasuredNothingIsAnEmptyObject) {
  EXPECT_EQ(SampleExport({incorrect()}).text("bencher"), "{}\n");
}

}  // namespace
}  // namespace highwater
