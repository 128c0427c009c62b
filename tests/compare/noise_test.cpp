#include "harness/compare/noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/bytes.hpp"
#include "harness/core/error.hpp"
#include "harness/report/noise_report.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

Repeats peaks(const std::vector<std::int64_t>& values) {
  std::vector<RunRecord> rounds;
  for (const std::int64_t value : values) rounds.push_back(sample_run({sample_record("a", value)}));
  return repeats_of(rounds);
}

Repeats times(const std::vector<std::int64_t>& values) {
  std::vector<RunRecord> rounds;
  for (const std::int64_t value : values) {
    CellRecord record = sample_record("a", 1_MiB);
    record.outcome.metrics["step_time_nanoseconds"] = value;
    rounds.push_back(sample_run({record}));
  }
  return repeats_of(rounds);
}

ExactNoise row_of(const NoiseStudy& study, const std::string& metric) {
  for (const ExactNoise& row : study.exact) {
    if (row.metric->id == metric) return row;
  }
  ADD_FAILURE() << "no row of " << metric;
  return {};
}

TEST(Noise, OfWhatDidNotMoveRecommendsNoTolerance) {
  const ExactNoise row = row_of(study_noise(peaks({1_MiB, 1_MiB, 1_MiB})), "peak_allocated_bytes");
  EXPECT_EQ(row.cells, 1U);
  EXPECT_EQ(row.moved, 0U);
  EXPECT_EQ(row.tolerance, 0);
}

TEST(Noise, IsTheLargestSpreadWithTheCellThatItWasSeenIn) {
  std::vector<RunRecord> rounds;
  for (const std::int64_t moved : {0, 700, 300}) {
    rounds.push_back(
        sample_run({sample_record("b", 2000 + moved), sample_record("a", 1000 + moved / 2)}));
  }
  const ExactNoise row = row_of(study_noise(repeats_of(rounds)), "peak_allocated_bytes");
  EXPECT_EQ(row.moved, 2U);
  EXPECT_EQ(row.spread, 700);
  EXPECT_EQ(row.cell, testing_fakes::sample_id("b"));
  EXPECT_NEAR(row.of_median.value(), 700.0 / 2300, 1e-12);
}

TEST(Noise, ToleranceIsTwiceTheSpreadInWholeBlocks) {
  const auto tolerance = [](const char* metric, std::int64_t spread) {
    return recommended_tolerance(*find_metric(metric), spread);
  };
  EXPECT_EQ(tolerance("peak_allocated_bytes", 256), 512);
  EXPECT_EQ(tolerance("peak_allocated_bytes", 512), 1024);
  EXPECT_EQ(tolerance("peak_allocated_bytes", 257), 1024);
  EXPECT_EQ(tolerance("peak_reserved_bytes", 512), 2_MiB);
  EXPECT_EQ(tolerance("alloc_retries", 3), 6);
}

TEST(Noise, SeesTheHighEndMoveToo) {
  CellRecord bounded = sample_record("a", 1_MiB);
  bounded.outcome.certainty = Certainty::bounded;
  bounded.outcome.high = {{"peak_allocated_bytes", 2_MiB}};
  CellRecord other = bounded;
  other.outcome.high["peak_allocated_bytes"] += 512;
  const auto study = study_noise(repeats_of({sample_run({bounded}), sample_run({other})}));
  EXPECT_EQ(row_of(study, "peak_allocated_bytes").spread, 512);
}

TEST(Noise, OfTimesIsTheMedianDeviationOfRoundsAndTheirDrift) {
  const NoiseStudy study = study_noise(times({100, 104, 98, 100, 110}));
  ASSERT_EQ(study.noisy.size(), 1U);
  EXPECT_EQ(study.noisy[0].median, 100);
  EXPECT_EQ(study.noisy[0].deviation, 2);
  EXPECT_NEAR(study.noisy[0].relative, 0.02, 1e-12);
  EXPECT_NEAR(study.noisy[0].drift, 0.10, 1e-12);
}

TEST(Noise, ACellThatFailedOrWasUnsteadyInOneRoundSaysWhich) {
  CellRecord failed = sample_record("a", 1);
  failed.outcome = {.kind = OutcomeKind::failed, .reason = "died"};
  CellRecord unsteady = sample_record("a", 1);
  unsteady.outcome.attributes["steady"] = "false";
  const Repeats repeats = repeats_of(
      {sample_run({sample_record("a", 1)}), sample_run({failed}), sample_run({unsteady})});
  EXPECT_EQ(repeats.cells.at(0).failures,
            (std::vector<std::string>{"round 2: failed: died",
                                      "round 3: unsteady: its steps did not agree"}));
  EXPECT_EQ(repeats.cells.at(0).metrics.at("peak_allocated_bytes").size(), 1U);
}

TEST(Noise, RoundsOfAnotherTestbedAreNoRepeats) {
  RunRecord other = sample_run({sample_record("a", 1)});
  other.header.testbeds["sim:h200"].id = "another";
  EXPECT_THROW(repeats_of({sample_run({sample_record("a", 1)}), other}), UsageError);
}

TEST(Noise, OneRoundSaysNothing) {
  EXPECT_THROW(repeats_of({sample_run({sample_record("a", 1)})}), UsageError);
}

std::vector<TimeComparison> compared(const std::vector<std::int64_t>& before,
                                     const std::vector<std::int64_t>& after) {
  return compare_times(times(before), times(after));
}

TEST(TimeComparison, SaysSlowerOrFasterWhereAllRoundsAre) {
  const auto slower = compared({100, 101, 102, 103, 104}, {120, 121, 122, 123, 124});
  EXPECT_EQ(slower.at(0).pace, Pace::slower);
  EXPECT_EQ(time_exit_code(slower), ExitCode::regression);
  const auto faster = compared({120, 121, 122, 123, 124}, {100, 101, 102, 103, 104});
  EXPECT_EQ(faster.at(0).pace, Pace::faster);
  EXPECT_EQ(time_exit_code(faster), ExitCode::ok);
}

TEST(TimeComparison, AnOverlapShowsNoDifference) {
  EXPECT_EQ(compared({100, 101, 102, 103, 121}, {120, 122, 123, 124, 125}).at(0).pace, Pace::same);
}

// Separated by rank (p = 0.008), but 7 apart where the deviation is 4.
TEST(TimeComparison, ADifferenceWithinTwoDeviationsIsNone) {
  const auto close = compared({90, 94, 98, 100, 101}, {102, 103, 105, 109, 113});
  EXPECT_LT(close.at(0).p, kLargestP);
  EXPECT_EQ(close.at(0).pace, Pace::same);
}

TEST(TimeComparison, FourRoundsAreTooFewAndCannotBeGated) {
  const auto few = compared({1, 2, 3, 4}, {50, 60, 70, 80});
  EXPECT_EQ(few.at(0).pace, Pace::too_few_rounds);
  EXPECT_EQ(time_exit_code(few), ExitCode::incomparable);
}

TEST(TimeComparison, AnotherTestbedIsIncomparable) {
  Repeats other = times({50, 60, 70, 80, 90});
  other.testbeds["sim:h200"].id = "another";
  const auto comparisons = compare_times(times({1, 2, 3, 4, 5}), other);
  EXPECT_EQ(comparisons.at(0).pace, Pace::other_testbed);
  EXPECT_EQ(time_exit_code(comparisons), ExitCode::incomparable);
}

TEST(TimeComparison, ThatComparesNothingIsNoPass) {
  EXPECT_EQ(time_exit_code({}), ExitCode::missing);
}

TEST(NoiseReport, OfNothingIsASentence) {
  EXPECT_EQ(to_text(noise_tables(Repeats{.rounds = 2}).at(0)), "No cell was measured.\n");
}

}  // namespace
}  // namespace highwater
