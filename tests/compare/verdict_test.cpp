#include "harness/compare/verdict.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "harness/compare/cell_comparison.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using enum VerdictKind;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_row;
using testing_fakes::sample_run;
using testing_fakes::verdict_on;

const Metric& peak() { return *find_metric("peak_allocated_bytes"); }

/// Baseline peak 100 MiB, held against a run with this one cell.
Verdict judge_against_100_mib(const CellRecord& record) {
  const Baselines baselines = baselines_of(sample_run({sample_record("baseline", 100_MiB)}));
  return verdict_on(judge(sample_run({record}), baselines), cell_id(record.cell));
}

// ---- named shapes of a history, each value held against the first

std::vector<VerdictKind> shape(const std::vector<std::int64_t>& values, const std::string& device) {
  std::vector<VerdictKind> kinds;
  for (const std::int64_t value : values) {
    kinds.push_back(
        compare_values(peak(), default_tolerance(peak(), device, values[0]), values[0], value));
  }
  return kinds;
}

using Kinds = std::vector<VerdictKind>;

TEST(Verdict, AFlatHistoryIsUnchanged) {
  EXPECT_EQ(shape({1_GiB, 1_GiB, 1_GiB}, "sim"), Kinds(3, unchanged));
}

TEST(Verdict, AStepOfOneByteIsSeenOnExactDevices) {
  EXPECT_EQ(shape({1_GiB, 1_GiB + 1, 1_GiB - 1}, "sim"), (Kinds{unchanged, regressed, improved}));
  EXPECT_EQ(shape({1_GiB, 1_GiB + 1, 1_GiB - 1}, "cpu"), (Kinds{unchanged, regressed, improved}));
}

TEST(Verdict, ARealCardToleratesOnePercentEitherWay) {
  const std::int64_t one_percent = 1_GiB / 100;
  EXPECT_EQ(shape({1_GiB, 1_GiB + one_percent, 1_GiB - one_percent, 1_GiB + one_percent + 1,
                   1_GiB - one_percent - 1},
                  "cuda"),
            (Kinds{unchanged, unchanged, unchanged, regressed, improved}));
}

TEST(Verdict, ARealCardToleratesTwoMiBOnSmallPeaks) {
  EXPECT_EQ(shape({10_MiB, 12_MiB, 12_MiB + 1}, "cuda"), (Kinds{unchanged, unchanged, regressed}));
}

TEST(Verdict, ADriftIsHeldAgainstTheAcceptedValueAndNotTheLastOne) {
  EXPECT_EQ(shape({100_MiB, 101_MiB, 102_MiB, 103_MiB}, "cuda"),
            (Kinds{unchanged, unchanged, unchanged, regressed}));
}

TEST(Verdict, ANoisyMetricOutsideItsToleranceIsAmbiguous) {
  const Metric noisy{"time", Unit::nanoseconds, MetricKind::noisy, Gated::everywhere, ""};
  EXPECT_EQ(compare_values(noisy, 10, 100, 111), ambiguous);
  EXPECT_EQ(compare_values(noisy, 10, 100, 89), ambiguous);
  EXPECT_EQ(compare_values(noisy, 10, 100, 110), unchanged);
}

TEST(Verdict, ARunHeldAgainstItselfIsUnchanged) {
  const RunRecord run =
      sample_run({sample_record("baseline", 100_MiB), sample_record("save", 60_MiB)});
  const auto verdicts = judge(run, baselines_of(run));
  ASSERT_EQ(verdicts.size(), 2U);
  for (const Verdict& verdict : verdicts) EXPECT_EQ(verdict.kind, unchanged) << verdict.reason;
  EXPECT_EQ(exit_code_of(verdicts), ExitCode::ok);
}

// ---- cells

TEST(Verdict, GrowthIsRegressedAndShowsTheNumbers) {
  const Verdict verdict = judge_against_100_mib(sample_record("baseline", 104_MiB));
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_EQ(verdict.reason,
            "peak_allocated_bytes 100.0 MiB -> 104.0 MiB (+4,194,304 B, allowed 0 B); "
            "peak_reserved_bytes 100.0 MiB -> 104.0 MiB (+4,194,304 B, allowed 0 B)");
}

TEST(Verdict, ShrinkingIsImproved) {
  EXPECT_EQ(judge_against_100_mib(sample_record("baseline", 96_MiB)).kind, improved);
}

TEST(Verdict, OneMetricUpAndAnotherDownIsRegressed) {
  CellRecord record = sample_record("baseline", 96_MiB);
  record.outcome.metrics["peak_reserved_bytes"] = 101_MiB;
  EXPECT_EQ(judge_against_100_mib(record).kind, regressed);
}

TEST(Verdict, ALeakIsRegressedEvenWhereItIsTheBaseline) {
  CellRecord record = sample_record("baseline", 100_MiB);
  record.outcome.metrics["leak_bytes"] = 512;
  const RunRecord run = sample_run({record});
  const Verdict verdict = verdict_on(judge(run, baselines_of(run)), sample_id("baseline"));
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_NE(verdict.reason.find("leaks: 512 B more"), std::string::npos);
}

TEST(Verdict, MemoryThatGoesAwayFromStepToStepIsRegressedToo) {
  CellRecord record = sample_record("baseline", 100_MiB);
  record.outcome.metrics["leak_bytes"] = -512;
  const RunRecord run = sample_run({record});
  EXPECT_EQ(verdict_on(judge(run, baselines_of(run)), sample_id("baseline")).kind, regressed);
}

TEST(Verdict, AMetricThatVanishedIsMissing) {
  CellRecord record = sample_record("baseline", 100_MiB);
  record.outcome.metrics.erase("peak_reserved_bytes");
  EXPECT_EQ(judge_against_100_mib(record).kind, missing);
}

TEST(Verdict, UngatedMetricsHaveNoSay) {
  CellRecord record = sample_record("baseline", 100_MiB);
  record.outcome.metrics["peak_requested_bytes"] = 1;
  EXPECT_EQ(judge_against_100_mib(record).kind, unchanged);
}

TEST(Verdict, ACellWithoutABaselineIsNew) {
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB)});
  const Verdict verdict = verdict_on(judge(run, {}), sample_id("baseline"));
  EXPECT_EQ(verdict.kind, new_cell);
  EXPECT_EQ(verdict.reason, "no baseline for testbed bed");
}

TEST(Verdict, ABaselineRowWithoutACellIsMissing) {
  const Baselines baselines =
      baselines_of(sample_run({sample_record("baseline", 100_MiB), sample_record("save", 60_MiB)}));
  const auto verdicts = judge(sample_run({sample_record("baseline", 100_MiB)}), baselines);
  EXPECT_EQ(verdict_on(verdicts, sample_id("save")).kind, missing);
  EXPECT_EQ(exit_code_of(verdicts), ExitCode::missing);
}

TEST(Verdict, ARenamedCellIsMissingUnderItsOldNameAndNewUnderItsNewOne) {
  const Baselines baselines = baselines_of(sample_run({sample_record("save", 60_MiB)}));
  const auto verdicts = judge(sample_run({sample_record("safe", 60_MiB)}), baselines);
  EXPECT_EQ(verdict_on(verdicts, sample_id("save")).kind, missing);
  EXPECT_EQ(verdict_on(verdicts, sample_id("safe")).kind, new_cell);
}

TEST(Verdict, BaselinesOfTestbedsThatTheRunDidNotUseAreNotMissing) {
  RunRecord before = sample_run({sample_record("baseline", 1)});
  before.cells.push_back(sample_record("baseline", 1));
  before.cells.back().cell.device = "cpu";
  RunRecord after = sample_run({sample_record("baseline", 1)});
  after.header.testbeds.erase("cpu");
  EXPECT_EQ(judge(after, baselines_of(before)).size(), 1U);
}

TEST(Verdict, ABaselineOfAnotherTestbedIsIncomparable) {
  Baselines baselines;
  baselines["old-bed"] = {
      "old-bed", "default", {sample_row(sample_id("baseline"), "leak_bytes", 0)}};
  const auto verdicts = judge(sample_run({sample_record("baseline", 100_MiB)}), baselines);
  EXPECT_EQ(verdicts.at(0).kind, incomparable);
  EXPECT_EQ(verdicts.at(0).reason, "its baseline is of testbed old-bed, this run of bed");
  EXPECT_EQ(exit_code_of(verdicts), ExitCode::incomparable);
}

TEST(Verdict, ACellThatTheRunsOwnTestbedLacksIsNewThoughAnotherHoldsIt) {
  Baselines baselines = baselines_of(sample_run({sample_record("save", 60_MiB)}));
  baselines["old-bed"] = {
      "old-bed", "default", {sample_row(sample_id("baseline"), "leak_bytes", 0)}};
  const auto verdicts = judge(sample_run({sample_record("baseline", 100_MiB)}), baselines);
  EXPECT_EQ(verdict_on(verdicts, sample_id("baseline")).kind, new_cell);
}

TEST(Verdict, EveryOutcomeButMeasuredAndSkippedIsFailed) {
  using enum OutcomeKind;
  for (const OutcomeKind kind : {out_of_memory, incorrect, timed_out, OutcomeKind::failed}) {
    CellRecord record = sample_record("baseline", 100_MiB);
    record.outcome.kind = kind;
    record.outcome.reason = "why";
    const Verdict verdict = judge_against_100_mib(record);
    EXPECT_EQ(verdict.kind, VerdictKind::failed);
    EXPECT_EQ(verdict.reason, to_text(kind) + ": why");
  }
}

TEST(Verdict, StepsThatDisagreeBecauseTheyLeakAreRegressed) {
  CellRecord record = sample_record("baseline", 100_MiB);
  record.outcome.attributes["steady"] = "false";
  record.outcome.metrics["leak_bytes"] = 512;
  EXPECT_EQ(judge_against_100_mib(record).kind, regressed);
}

TEST(Verdict, StepsThatDisagreeAreUnsteady) {
  CellRecord record = sample_record("baseline", 100_MiB);
  record.outcome.attributes["steady"] = "false";
  EXPECT_EQ(judge_against_100_mib(record).kind, unsteady);
}

CellRecord skipped_record(const std::string& technique) {
  CellRecord record = sample_record(technique, 1);
  record.outcome = {};
  record.outcome.kind = OutcomeKind::skipped;
  record.outcome.reason = "why not";
  return record;
}

TEST(Verdict, ASkipIsNoFailureWhereNothingWasExpected) {
  const auto verdicts = judge(sample_run({skipped_record("save")}), {});
  EXPECT_EQ(verdicts.at(0).kind, skipped);
  EXPECT_EQ(exit_code_of(verdicts), ExitCode::skipped);
}

TEST(Verdict, ASkippedCellWithABaselineIsMissing) {
  EXPECT_EQ(judge_against_100_mib(skipped_record("baseline")).kind, missing);
}

TEST(Verdict, ARefusalIsNoFailureWhereNothingWasExpectedAndMissingWhereSomethingWas) {
  CellRecord record = skipped_record("baseline");
  record.outcome.kind = OutcomeKind::refused;
  record.outcome.certainty = Certainty::refused;
  const auto verdicts = judge(sample_run({record}), {});
  EXPECT_EQ(verdicts.at(0).kind, refused);
  EXPECT_EQ(exit_code_of(verdicts), ExitCode::skipped);
  EXPECT_EQ(judge_against_100_mib(record).reason, "has a baseline, but was refused: why not");
}

TEST(Verdict, ACellThatTheOldRunDidNotMeasureIsNotMissingInTheNewOne) {
  RunRecord before = sample_run({sample_record("baseline", 1), sample_record("save", 1)});
  before.cells.back().outcome.kind = OutcomeKind::out_of_memory;
  EXPECT_EQ(judge_against(before, sample_run({sample_record("baseline", 1)})).size(), 1U);
}

// ---- remedies

MetricLine line(VerdictKind kind) {
  return {.metric = "peak_allocated_bytes",
          .kind = kind,
          .baseline = 1,
          .value = 2,
          .note = "why",
          .warning = ""};
}

TEST(Verdict, WhatIsBrokenNeedsARepairWhateverElseIsWrong) {
  MetricLine broken = line(regressed);
  broken.broken = true;
  MetricLine beyond = line(regressed);
  beyond.beyond_anchor = true;
  EXPECT_EQ(conclude("c", {beyond}).remedy, Remedy::anchor);
  EXPECT_EQ(conclude("c", {beyond, broken}).remedy, Remedy::repair);
  EXPECT_EQ(conclude("c", {broken, beyond}).remedy, Remedy::repair);
}

TEST(Verdict, WhatIsAmbiguousIsNotToBeAccepted) {
  EXPECT_EQ(conclude("c", {line(ambiguous)}).remedy, Remedy::none);
}

// ---- sets

TEST(Verdict, ASetHasTheWorstExitCodeAndAnEmptyOneIsMissing) {
  const auto code = [](std::vector<VerdictKind> kinds) {
    std::vector<Verdict> verdicts;
    for (const VerdictKind kind : kinds) verdicts.push_back({"c", kind, "", {}});
    return exit_code_of(verdicts);
  };
  EXPECT_EQ(code({}), ExitCode::missing);
  EXPECT_EQ(code({skipped, unchanged}), ExitCode::ok);
  EXPECT_EQ(code({skipped, skipped}), ExitCode::skipped);
  EXPECT_EQ(code({unchanged, improved}), ExitCode::stale_baseline);
  EXPECT_EQ(code({improved, new_cell, regressed}), ExitCode::regression);
  EXPECT_EQ(code({regressed, failed}), ExitCode::cell_error);
  EXPECT_EQ(code({incomparable, missing}), ExitCode::missing);
}

TEST(Verdict, NumbersAtBothEndsAreComparedWithoutOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(compare_values(peak(), 0, -kMost, kMost), regressed);
  EXPECT_EQ(compare_values(peak(), 0, kMost, -kMost), improved);
}

TEST(Verdict, AMeasuredCellWithoutAPeakIsFailed) {
  CellRecord none = sample_record("baseline", 0);
  EXPECT_EQ(judge_against_100_mib(none).kind, failed);
  none.outcome.metrics.erase("peak_allocated_bytes");
  EXPECT_EQ(judge_against_100_mib(none).kind, failed);
}

// ---- cells that a run does not hold

RunRecord narrowed_run(std::vector<CellRecord> records) {
  RunRecord run = sample_run(std::move(records));
  run.header.settings["selection"] = {{"narrowed", true}};
  return run;
}

TEST(Verdict, ANarrowedRunSaysNothingAboutCellsThatItLeftOut) {
  const Baselines baselines =
      baselines_of(sample_run({sample_record("baseline", 1), sample_record("save", 1)}));
  EXPECT_EQ(judge(narrowed_run({sample_record("baseline", 1)}), baselines).size(), 1U);
}

TEST(Verdict, APlannedCellWithoutARowIsMissingEvenInANarrowedRun) {
  RunRecord run = narrowed_run({sample_record("baseline", 1)});
  run.header.settings["planned_cells"] = {sample_id("baseline"), sample_id("save")};
  const auto verdicts = judge(run, {});
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdict_on(verdicts, sample_id("save")).kind, missing);
}

TEST(Verdict, ADeviceThatTheNewRunLacksIsMissingCellByCell) {
  RunRecord before = sample_run({sample_record("baseline", 1), sample_record("baseline", 1)});
  before.cells.back().cell.device = "cpu";
  RunRecord after = narrowed_run({sample_record("baseline", 1)});
  after.header.testbeds.erase("cpu");
  const auto verdicts = judge_against(before, after);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdict_on(verdicts, "m/full/baseline/cpu").kind, missing);
  EXPECT_EQ(exit_code_of(verdicts), ExitCode::missing);
}

}  // namespace
}  // namespace highwater
