#include "harness/compare/accept.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_row;
using testing_fakes::sample_run;

const AcceptOptions kToday{.date = "2026-02-01", .reason = "bigger batch"};

BaselineFile old_file() {
  return {"bed",
          "default",
          {sample_row(sample_id("baseline"), "leak_bytes", 0),
           sample_row(sample_id("baseline"), "peak_allocated_bytes", 100),
           sample_row(sample_id("baseline"), "peak_reserved_bytes", 100)}};
}

const BaselineRow& row(const BaselineFile& file, const std::string& metric) {
  return *std::ranges::find(file.rows, metric, &BaselineRow::metric);
}

TEST(Accept, RowsThatMovedGetValueDateAndReason) {
  const auto accepted =
      accept_run(old_file(), sample_run({sample_record("baseline", 110)}), kToday);
  EXPECT_EQ(row(accepted.file, "peak_allocated_bytes").value, 110);
  EXPECT_EQ(row(accepted.file, "peak_allocated_bytes").date, "2026-02-01");
  EXPECT_EQ(row(accepted.file, "peak_allocated_bytes").reason, "bigger batch");
  ASSERT_EQ(accepted.changes.size(), 2U);
  EXPECT_EQ(accepted.changes[0].before->value, 100);
  EXPECT_EQ(accepted.changes[0].after->value, 110);
}

TEST(Accept, RowsThatDidNotMoveKeepDateAndReason) {
  const auto accepted =
      accept_run(old_file(), sample_run({sample_record("baseline", 110)}), kToday);
  EXPECT_EQ(row(accepted.file, "leak_bytes"), old_file().rows[0]);
}

TEST(Accept, AnEqualRunMovesNothing) {
  const auto accepted =
      accept_run(old_file(), sample_run({sample_record("baseline", 100)}), kToday);
  EXPECT_TRUE(accepted.changes.empty());
  EXPECT_EQ(accepted.file.rows, old_file().rows);
}

TEST(Accept, NewCellsAreAdded) {
  const auto accepted = accept_run(old_file(), sample_run({sample_record("save", 60)}), kToday);
  EXPECT_EQ(accepted.file.rows.size(), 6U);
  EXPECT_FALSE(accepted.changes[0].before.has_value());
}

TEST(Accept, CellsThatAreNotWorthItKeepTheirOldRows) {
  std::vector<CellRecord> bad(4, sample_record("baseline", 999));
  bad[0].outcome.kind = OutcomeKind::failed;
  bad[1].outcome.attributes["steady"] = "false";
  bad[2].outcome.metrics["leak_bytes"] = 8;
  bad[3].outcome.metrics.erase("peak_allocated_bytes");
  for (const CellRecord& record : bad) {
    const auto accepted = accept_run(old_file(), sample_run({record}), kToday);
    EXPECT_EQ(accepted.file.rows, old_file().rows);
    EXPECT_EQ(accepted.kept.size(), 1U);
  }
}

TEST(Accept, AHighEndThatMovedIsAMoveAndBothEndsAreKept) {
  CellRecord record = sample_record("baseline", 100);
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"peak_allocated_bytes", 130}};
  const auto accepted = accept_run(old_file(), sample_run({record}), kToday);
  EXPECT_EQ(row(accepted.file, "peak_allocated_bytes").value, (Ends{100, 130}));
  EXPECT_EQ(row(accepted.file, "peak_allocated_bytes").reason, "bigger batch");
  ASSERT_EQ(accepted.changes.size(), 1U);
  EXPECT_EQ(accepted.changes[0].after->value, (Ends{100, 130}));
}

TEST(Accept, ARefusedCellThatHadNoRowsIsNotMentioned) {
  CellRecord record = sample_record("save", 1);
  record.outcome.kind = OutcomeKind::refused;
  EXPECT_TRUE(accept_run(old_file(), sample_run({record}), kToday).kept.empty());
}

TEST(Accept, ASkippedCellIsMentionedOnlyWhereItHadRows) {
  CellRecord skipped = sample_record("baseline", 1);
  skipped.outcome.kind = OutcomeKind::skipped;
  CellRecord unknown = sample_record("save", 1);
  unknown.outcome.kind = OutcomeKind::skipped;
  const auto accepted = accept_run(old_file(), sample_run({skipped, unknown}), kToday);
  ASSERT_EQ(accepted.kept.size(), 1U);
  EXPECT_EQ(accepted.kept[0].rfind(sample_id("baseline"), 0), 0U);
}

TEST(Accept, RowsOfAbsentCellsGoOnlyWithPrune) {
  const RunRecord run = sample_run({sample_record("save", 60)});
  AcceptOptions prune = kToday;
  prune.prune = true;
  EXPECT_EQ(accept_run(old_file(), run, kToday).file.rows.size(), 6U);
  const auto pruned = accept_run(old_file(), run, prune);
  EXPECT_EQ(pruned.file.rows.size(), 3U);
  EXPECT_EQ(pruned.changes.size(), 6U);
}

TEST(Accept, PruningKeepsTheRowsOfACellThatFailed) {
  CellRecord record = sample_record("baseline", 100);
  record.outcome.kind = OutcomeKind::failed;
  AcceptOptions prune = kToday;
  prune.prune = true;
  EXPECT_EQ(accept_run(old_file(), sample_run({record}), prune).file.rows, old_file().rows);
}

TEST(Accept, CellsOfOtherTestbedsAreLeftToTheirOwnFiles) {
  CellRecord cpu = sample_record("baseline", 5);
  cpu.cell.device = "cpu";
  EXPECT_EQ(accept_run(old_file(), sample_run({cpu}), kToday).file.rows, old_file().rows);
}

TEST(Accept, ACellThatBreaksItsPromiseKeepsItsOldRows) {
  CellRecord save = sample_record("save", 100);
  save.outcome.promises = {{"peak_allocated_bytes", 1}};
  const auto accepted =
      accept_run(old_file(), sample_run({sample_record("baseline", 100), save}), kToday);
  EXPECT_EQ(accepted.file.rows, old_file().rows);
  ASSERT_EQ(accepted.kept.size(), 1U);
  EXPECT_NE(accepted.kept[0].find("promises to save at least"), std::string::npos);
}

TEST(Accept, ACellOfAnotherBatchOrCapacityGetsNoRows) {
  CellRecord record = sample_record("baseline", 100);
  record.cell.batch = 2;
  const auto accepted = accept_run(old_file(), sample_run({record}), kToday);
  EXPECT_EQ(accepted.file.rows, old_file().rows);
  ASSERT_EQ(accepted.kept.size(), 1U);
  EXPECT_NE(accepted.kept[0].find("no suite holds a cell of another batch"), std::string::npos);
}

PeakProfile profile_of(Bytes bytes) {
  return {{"temporaries", "backward", "block.0", "aten::mm", 1, bytes}};
}

CellRecord profiled(Bytes peak) {
  CellRecord record = sample_record("baseline", peak);
  record.outcome.profile = profile_of(peak);
  return record;
}

TEST(Accept, TheProfileOfAPeakComesWithItsRow) {
  const auto accepted = accept_run(old_file(), sample_run({profiled(110)}), kToday);
  EXPECT_EQ(accepted.file.profiles, (Profiles{{sample_id("baseline"), profile_of(110)}}));
}

TEST(Accept, AProfileThatTheBaselineLacksIsAddedThoughNoRowMoves) {
  const auto accepted = accept_run(old_file(), sample_run({profiled(100)}), kToday);
  EXPECT_TRUE(accepted.changes.empty());
  EXPECT_EQ(accepted.file.profiles.size(), 1U);
}

TEST(Accept, ACellThatIsNotAcceptedKeepsItsProfileAndOneWithoutRowsHasNone) {
  BaselineFile old = old_file();
  old.profiles = {{sample_id("baseline"), profile_of(100)}, {"gone", profile_of(1)}};
  CellRecord leaky = profiled(110);
  leaky.outcome.metrics["leak_bytes"] = 8;
  const auto accepted = accept_run(old, sample_run({leaky}), kToday);
  EXPECT_EQ(accepted.file.profiles, (Profiles{{sample_id("baseline"), profile_of(100)}}));
}

}  // namespace
}  // namespace highwater
