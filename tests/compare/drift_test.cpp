// The anchor: how far accepted values may creep, and what the gate says beyond it.

#include "harness/compare/drift.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "harness/compare/accept.hpp"
#include "harness/compare/verdict.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using enum VerdictKind;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_row;
using testing_fakes::sample_run;

BaselineRow peak_row(std::int64_t value, std::int64_t anchor, std::int64_t tolerance = 0) {
  BaselineRow row = sample_row(sample_id("baseline"), "peak_allocated_bytes", value);
  row.anchor = anchor;
  row.tolerance = tolerance;
  return row;
}

BaselineFile file_with(const BaselineRow& peak) {
  return {"bed",
          "default",
          {sample_row(sample_id("baseline"), "leak_bytes", 0), peak,
           sample_row(sample_id("baseline"), "peak_reserved_bytes", 100)}};
}

CellRecord record_with_peak(std::int64_t peak) {
  CellRecord record = sample_record("baseline", 100);
  record.outcome.metrics["peak_allocated_bytes"] = peak;
  return record;
}

Verdict judged(const BaselineRow& row, std::int64_t peak) {
  return judge(sample_run({record_with_peak(peak)}), {{"bed", file_with(row)}}).at(0);
}

Acceptance accepted(const BaselineRow& row, std::int64_t peak, bool new_anchor = false) {
  return accept_run(file_with(row), sample_run({record_with_peak(peak)}),
                    {.date = "2026-02-01", .reason = "why", .new_anchor = new_anchor});
}

const BaselineRow& peak_of(const Acceptance& acceptance) { return acceptance.file.rows.at(1); }

TEST(Drift, MayReachTenPercentOfTheAnchorRoundedDown) {
  EXPECT_EQ(drift_allowance(peak_row(100, 100)), 10);
  EXPECT_EQ(drift_allowance(peak_row(119, 119)), 11);
  EXPECT_FALSE(is_beyond_anchor(peak_row(105, 100), 110));
  EXPECT_TRUE(is_beyond_anchor(peak_row(105, 100), 111));
}

TEST(Drift, WithinTheRowsToleranceIsNone) {
  EXPECT_FALSE(is_beyond_anchor(peak_row(100, 100, 20), 120));
  EXPECT_TRUE(is_beyond_anchor(peak_row(100, 100, 20), 121));
}

TEST(Drift, IsCountedWithoutOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(drift_allowance(peak_row(kMost, kMost)), kMost / 10);
  EXPECT_FALSE(is_beyond_anchor(peak_row(kMost, kMost), kMost));
  EXPECT_TRUE(is_beyond_anchor(peak_row(0, 0), kMost));
}

// ---- the gate

TEST(Drift, BeyondTheAnchorIsRegressedThoughTheBaselineSaysTheSame) {
  const Verdict verdict = judged(peak_row(111, 100), 111);
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_EQ(verdict.remedy, Remedy::anchor);
  EXPECT_EQ(verdict.reason,
            "peak_allocated_bytes 111 lies 11 above its anchor 100, the level that was last "
            "approved, and may creep 10");
}

TEST(Drift, UpToTheCapTheBaselineDecides) {
  EXPECT_EQ(judged(peak_row(110, 100), 110).kind, unchanged);
  EXPECT_EQ(judged(peak_row(105, 100), 106).kind, regressed);
  EXPECT_EQ(judged(peak_row(105, 100), 106).remedy, Remedy::accept);
}

TEST(Drift, ALeakBesideItStillNeedsARepair) {
  CellRecord record = record_with_peak(111);
  record.outcome.metrics["leak_bytes"] = 8;
  const auto verdicts = judge(sample_run({record}), {{"bed", file_with(peak_row(111, 100))}});
  EXPECT_EQ(verdicts.at(0).remedy, Remedy::repair);
}

TEST(Drift, OfOneRunAgainstAnotherIsNotSpokenOf) {
  const auto verdicts =
      judge_against(sample_run({record_with_peak(100)}), sample_run({record_with_peak(200)}));
  EXPECT_EQ(verdicts.at(0).kind, regressed);
  EXPECT_EQ(verdicts.at(0).reason.find("anchor"), std::string::npos);
}

TEST(Drift, AValueThatIsNoLongerBoundedHasMovedThoughItsEndsMet) {
  BaselineRow row = peak_row(100, 100);
  row.value.high = 100;
  EXPECT_TRUE(has_moved(row, Ends{100}));
  EXPECT_FALSE(has_moved(row, Ends{100, 100}));
}

TEST(Tolerance, IsThatOfTheRowEitherWay) {
  EXPECT_EQ(judged(peak_row(100, 100, 5), 105).kind, unchanged);
  EXPECT_EQ(judged(peak_row(100, 100, 5), 95).kind, unchanged);
  EXPECT_EQ(judged(peak_row(100, 100, 5), 106).kind, regressed);
  EXPECT_EQ(judged(peak_row(100, 100, 5), 94).kind, improved);
}

// ---- accepting

TEST(AcceptWithAnchors, ARiseWithinTheCapKeepsTheAnchor) {
  const Acceptance acceptance = accepted(peak_row(105, 100), 110);
  EXPECT_EQ(peak_of(acceptance).value, 110);
  EXPECT_EQ(peak_of(acceptance).anchor, 100);
}

TEST(AcceptWithAnchors, ACreepOfSmallStepsIsStopped) {
  BaselineRow row = peak_row(100, 100);
  for (const std::int64_t peak : {104, 108}) row = peak_of(accepted(row, peak));
  const Acceptance acceptance = accepted(row, 112);
  EXPECT_EQ(peak_of(acceptance), row);
  EXPECT_TRUE(acceptance.changes.empty());
  ASSERT_EQ(acceptance.drifted.size(), 1U);
  EXPECT_EQ(acceptance.drifted[0],
            sample_id("baseline") +
                ": peak_allocated_bytes 112 lies 12 above its anchor 100, the level that was last "
                "approved, and may creep 10");
}

TEST(AcceptWithAnchors, ACellThatDriftedKeepsAllItsRows) {
  CellRecord record = record_with_peak(112);
  record.outcome.metrics["peak_reserved_bytes"] = 101;
  const BaselineFile before = file_with(peak_row(100, 100));
  const auto acceptance =
      accept_run(before, sample_run({record}), {.date = "2026-02-01", .reason = "why"});
  EXPECT_EQ(acceptance.file.rows, before.rows);
}

TEST(AcceptWithAnchors, AFallingValueTakesTheAnchorWithIt) {
  EXPECT_EQ(peak_of(accepted(peak_row(105, 100), 90)).anchor, 90);
  EXPECT_EQ(peak_of(accepted(peak_row(105, 100), 102)).anchor, 100);
}

TEST(AcceptWithAnchors, ANewAnchorIsTheValueWithItsReason) {
  const Acceptance acceptance = accepted(peak_row(108, 100), 200, true);
  EXPECT_TRUE(acceptance.drifted.empty());
  EXPECT_EQ(peak_of(acceptance).value, 200);
  EXPECT_EQ(peak_of(acceptance).anchor, 200);
  EXPECT_EQ(peak_of(acceptance).reason, "why");
}

TEST(AcceptWithAnchors, ANewAnchorHelpsARowThatIsBeyondItsOwnAndLeavesOthersAlone) {
  EXPECT_EQ(peak_of(accepted(peak_row(111, 100), 111, true)).anchor, 111);
  EXPECT_EQ(accepted(peak_row(111, 100), 111, true).changes.size(), 1U);
  EXPECT_TRUE(accepted(peak_row(108, 100), 108, true).changes.empty());
}

TEST(AcceptWithAnchors, ANewRowIsAnchoredAtItsValueWithTheDevicesTolerance) {
  for (const auto& [device, tolerance] :
       std::map<std::string, std::int64_t>{{"sim:h200", 0}, {"cpu", 0}, {"cuda", 2 << 20}}) {
    CellRecord record = record_with_peak(100);
    record.cell.device = device;
    const RunRecord run = sample_run({record});
    const auto acceptance = accept_run({run.header.testbeds.at(device).id, "default", {}, {}}, run,
                                       {.date = "2026-02-01", .reason = "why"});
    EXPECT_EQ(acceptance.file.rows.at(1).tolerance, tolerance) << device;
    EXPECT_EQ(acceptance.file.rows.at(1).anchor, 100) << device;
  }
}

TEST(AcceptWithAnchors, ARowWithinItsToleranceIsNotTouched) {
  EXPECT_EQ(peak_of(accepted(peak_row(100, 100, 5), 95)), peak_row(100, 100, 5));
  EXPECT_EQ(peak_of(accepted(peak_row(100, 100, 5), 94)).value, 94);
}

TEST(AcceptWithAnchors, AToleranceThatSomebodySetStays) {
  EXPECT_EQ(peak_of(accepted(peak_row(100, 100, 5), 108)).tolerance, 5);
}

TEST(AcceptWithAnchors, ADefaultToleranceFollowsTheValue) {
  constexpr std::int64_t kGiB = 1 << 30;
  CellRecord record = record_with_peak(kGiB / 100 * 105);
  record.cell.device = "cuda";
  BaselineRow row = sample_row(cell_id(record.cell), "peak_allocated_bytes", kGiB);
  row.tolerance = kGiB / 100;
  const auto acceptance = accept_run({"cudabed", "default", {row}}, sample_run({record}),
                                     {.date = "2026-02-01", .reason = "why"});
  EXPECT_EQ(acceptance.file.rows.at(1).tolerance, kGiB / 100 * 105 / 100);
}

}  // namespace
}  // namespace highwater
