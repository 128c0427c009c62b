#include "harness/compare/savings.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using enum VerdictKind;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;
using testing_fakes::verdict_on;

std::vector<Verdict> judge_promise(std::int64_t minimum, std::int64_t peak_of_save) {
  CellRecord save = sample_record("save", peak_of_save);
  save.outcome.promises = {{"peak_allocated_bytes", minimum}};
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB), save});
  return judge(run, baselines_of(run));
}

TEST(Savings, APromiseKeptToTheByteIsUnchanged) {
  EXPECT_EQ(verdict_on(judge_promise(40_MiB, 60_MiB), sample_id("save")).kind, unchanged);
}

TEST(Savings, OneByteLessThanPromisedIsRegressedAndSaysBothNumbers) {
  const Verdict verdict = verdict_on(judge_promise(40_MiB, 60_MiB + 1), sample_id("save"));
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_EQ(
      verdict.reason,
      "save promises to save at least 40.0 MiB (41,943,040 B) of peak_allocated_bytes, and saved "
      "40.0 MiB (41,943,039 B)");
}

TEST(Savings, ATechniqueThatSavesNothingIsRegressedThoughItEqualsItsBaseline) {
  EXPECT_EQ(verdict_on(judge_promise(40_MiB, 100_MiB), sample_id("save")).kind, regressed);
}

TEST(Savings, ANewCellThatBreaksItsPromiseIsRegressed) {
  CellRecord save = sample_record("save", 100_MiB);
  save.outcome.promises = {{"peak_allocated_bytes", 1}};
  const auto verdicts = judge(sample_run({sample_record("baseline", 100_MiB), save}), {});
  EXPECT_EQ(verdict_on(verdicts, sample_id("save")).kind, regressed);
}

TEST(Savings, APromiseOnAMetricThatTheCellLacksIsMissing) {
  CellRecord save = sample_record("save", 1);
  save.outcome.promises = {{"forward_peak_allocated_bytes", 1}};
  CellRecord baseline = sample_record("baseline", 100_MiB);
  baseline.outcome.metrics["forward_peak_allocated_bytes"] = 1;
  const RunRecord run = sample_run({baseline, save});
  EXPECT_EQ(verdict_on(judge(run, baselines_of(run)), sample_id("save")).kind, missing);
}

TEST(Savings, WithoutAMeasuredBaselineCellThereIsNothingToHoldAPromiseAgainst) {
  CellRecord save = sample_record("save", 1);
  save.outcome.promises = {{"peak_allocated_bytes", 1}};
  const RunRecord run = sample_run({save});
  EXPECT_EQ(judge(run, baselines_of(run)).at(0).kind, unchanged);
}

TEST(Savings, ABaselineCellThatFailedHoldsNoPromise) {
  CellRecord save = sample_record("save", 60_MiB);
  save.outcome.promises = {{"peak_allocated_bytes", 40_MiB}};
  CellRecord baseline = sample_record("baseline", 70_MiB);
  baseline.outcome.kind = OutcomeKind::out_of_memory;
  EXPECT_TRUE(check_promises(save, sample_run({baseline, save})).empty());
}

TEST(Savings, APromiseIsHeldAgainstTheBaselineOfTheSamePreset) {
  CellRecord save = sample_record("save", 60_MiB);
  save.outcome.promises = {{"peak_allocated_bytes", 30_MiB}};
  CellRecord small = sample_record("baseline", 80_MiB);
  save.cell.preset = small.cell.preset = "small";
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB), small, save});
  const Verdict verdict = verdict_on(judge(run, baselines_of(run)), cell_id(save.cell));
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_NE(verdict.reason.find("saved 20.0 MiB"), std::string::npos) << verdict.reason;
}

TEST(Savings, EveryPromiseIsHeldNotOnlyTheFirst) {
  CellRecord save = sample_record("save", 60_MiB);
  save.outcome.promises = {{"peak_allocated_bytes", 40_MiB}, {"peak_reserved_bytes", 41_MiB}};
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB), save});
  const Verdict verdict = verdict_on(judge(run, baselines_of(run)), sample_id("save"));
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_NE(verdict.reason.find("of peak_reserved_bytes"), std::string::npos) << verdict.reason;
}

}  // namespace
}  // namespace highwater
