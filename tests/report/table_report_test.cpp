#include "harness/report/table_report.hpp"

#include <gtest/gtest.h>

#include "harness/report/markdown_report.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

RunRecord example_run() {
  CellRecord skipped = sample_record("shy", 0);
  skipped.outcome = {};
  skipped.outcome.kind = OutcomeKind::skipped;
  skipped.outcome.reason = "shy excludes save";
  CellRecord cpu = sample_record("save", 6_MiB);
  cpu.cell.device = "cpu";
  cpu.cell.preset = "twin";
  cpu.outcome.certainty = Certainty::measured;
  cpu.outcome.metrics.erase("peak_reserved_bytes");
  cpu.outcome.metrics["step_time_nanoseconds"] = 12'500'000;
  cpu.outcome.numerics = Numerics{"bit_equal", "equal", 0, 0, 2, 1};
  return sample_run(
      {sample_record("baseline", 100_MiB), sample_record("save", 60_MiB), skipped, cpu});
}

std::string console(bool colour = false) {
  const RunRecord run = example_run();
  return console_text(run, judge(run, baselines_of(run)), colour);
}

TEST(TableReport, ConsoleTablesAreThese) {
  EXPECT_EQ(console(),
            "m (full) on sim:h200\n"
            "technique       peak  vs baseline        %   reserved  certainty  peak phase  step "
            "time  numerics         verdict\n"
            "baseline   100.0 MiB            -        -  100.0 MiB  exact      forward             "
            "-  -                unchanged\n"
            "save        60.0 MiB    -40.0 MiB  -40.0 %   60.0 MiB  exact      forward             "
            "-  bit-equal (cpu)  unchanged\n"
            "skipped: shy excludes save (shy)\n"
            "\n"
            "m (twin) on cpu\n"
            "technique     peak  vs baseline  %  reserved  certainty  peak phase  step time  "
            "numerics   verdict\n"
            "save       6.0 MiB            -  -         -  measured   forward      12.50 ms  "
            "bit-equal  unchanged\n");
}

TEST(TableReport, WhatTrainsToNaNSavesNothing) {
  CellRecord broken = sample_record("broken", 60_MiB);
  broken.outcome.attributes["diverges"] = "by design";
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB), broken});
  const auto rows = tradeoff_tables(run, {}).at(0).rows;
  EXPECT_EQ(rows.at(1).at(1), "60.0 MiB");
  EXPECT_EQ(rows.at(1).at(2), "-");
  EXPECT_EQ(rows.at(1).at(3), "-");
}

TEST(TableReport, BothEndsOfABoundedCellAreShown) {
  CellRecord baseline = sample_record("baseline", 100_MiB);
  CellRecord save = sample_record("save", 60_MiB);
  for (CellRecord* record : {&baseline, &save}) {
    record->outcome.certainty = Certainty::bounded;
    record->outcome.high = {{"peak_allocated_bytes", 110_MiB}};
  }
  const auto row = tradeoff_tables(sample_run({baseline, save}), {}).at(0).rows.at(1);
  EXPECT_EQ(row[1], "60.0 MiB to 110.0 MiB");
  EXPECT_EQ(row[2], "-40.0 MiB to 0 B");
  EXPECT_EQ(row[4], "60.0 MiB");
  EXPECT_EQ(row[5], "bounded");
}

TEST(TableReport, ColourIsAskedForAndStaysOutOfTheWidths) {
  const std::string text = console(true);
  EXPECT_NE(text.find("\033[32mbaseline   100.0 MiB"), std::string::npos);
  EXPECT_EQ(console().find('\033'), std::string::npos);
}

TEST(TableReport, ParametersStandBesideTheTechniqueAndHaveTheirOwnBaseline) {
  CellRecord small = sample_record("save", 10_MiB);
  small.cell.batch = 2;
  const Table table =
      tradeoff_tables(sample_run({sample_record("baseline", 100_MiB), small}), {}).at(0);
  EXPECT_EQ(table.rows[1][0], "save batch=2");
  EXPECT_EQ(table.rows[1][2], "-");
}

CellRecord skipped_record(const std::string& technique, const std::string& reason) {
  CellRecord record = sample_record(technique, 0);
  record.outcome = {};
  record.outcome.kind = OutcomeKind::skipped;
  record.outcome.reason = reason;
  return record;
}

TEST(TableReport, CellsSkippedForOneReasonAreOneLineUnderTheTable) {
  const Table table = tradeoff_tables(sample_run({sample_record("baseline", 100_MiB),
                                                  skipped_record("flash", "m has no attention"),
                                                  skipped_record("slim", "m has no linear"),
                                                  skipped_record("math", "m has no attention")}),
                                      {})
                          .at(0);
  EXPECT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.notes, (std::vector<std::string>{"skipped: m has no attention (flash, math)",
                                                   "skipped: m has no linear (slim)"}));
}

TEST(TableReport, AReasonThatRowsShareStandsOnceUnderTheTable) {
  const RunRecord run =
      sample_run({sample_record("baseline", 100_MiB), sample_record("save", 60_MiB)});
  const Table table = tradeoff_tables(run, judge(run, {})).at(0);
  EXPECT_EQ(table.rows[0].back(), "new");
  EXPECT_EQ(table.rows[1].back(), "new");
  EXPECT_EQ(table.notes, std::vector<std::string>{"new: no baseline for testbed bed (2 rows)"});
}

TEST(TableReport, AReasonOfOneRowStaysInIt) {
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB)});
  const Table table = tradeoff_tables(run, judge(run, {})).at(0);
  EXPECT_EQ(table.rows[0].back(), "new: no baseline for testbed bed");
  EXPECT_TRUE(table.notes.empty());
}

TEST(TableReport, ARowIsComparedWithTheBaselineOfItsOwnPreset) {
  std::vector<CellRecord> records = {
      sample_record("baseline", 100_MiB), sample_record("save", 90_MiB),
      sample_record("baseline", 10_MiB), sample_record("tiny", 4_MiB)};
  records[2].cell.preset = records[3].cell.preset = "small";
  const auto tables = tradeoff_tables(sample_run(records), {});
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].rows[1][2], "-10.0 MiB");
  EXPECT_EQ(tables[1].title, "m (small) on sim:h200");
  EXPECT_EQ(tables[1].rows[1][2], "-6.0 MiB");
}

TEST(MarkdownReport, SaysWhatPeakMeansWhereItWasMeasuredAndHowToReadAVerdict) {
  const RunRecord run = example_run();
  const std::string text = markdown_report(run, judge(run, baselines_of(run)));
  for (const char* part :
       {"# Training memory: suite default", "*peak* is `peak_allocated_bytes`",
        "### m (full) on sim:h200", "| save | 60.0 MiB | -40.0 MiB |", "| regressed | 3 |",
        "| refused | not simulated", "### sim:h200: testbed bed", "| torch | 2.11.0 |",
        "- skipped: shy excludes save (shy)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(MarkdownReport, NamesCellsThatTheRunDoesNotHold) {
  const RunRecord run = sample_run({sample_record("baseline", 1)});
  const Baselines before =
      baselines_of(sample_run({sample_record("baseline", 1), sample_record("save", 1)}));
  const std::string text = markdown_report(run, judge(run, before));
  EXPECT_NE(text.find("- `m/full/save/sim:h200`: has a baseline for bed"), std::string::npos);
}

}  // namespace
}  // namespace highwater
