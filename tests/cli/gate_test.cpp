#include "harness/core/files.hpp"
#include "harness/record/baseline_file.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

const std::map<std::string, std::string> kPlanted = {{"FAKE_EXTRA_BYTES", "4194304"}};
const std::map<std::string, std::string> kSavesNothing = {{"FAKE_EXTRA_BYTES", "41943040"}};
const std::map<std::string, std::string> kImproved = {{"FAKE_EXTRA_BYTES", "-512"}};

class CliGate : public testing_fakes::FakeInstallation {
 protected:
  CliGate() {
    highwater({"run"});
    accepted_ = highwater({"baseline", "accept", "--reason", "first"});
  }
  std::filesystem::path baseline() const {
    return file("results/baselines/sim-h200-fake1/default.jsonl");
  }
  void replace(const std::string& old_text, const std::string& new_text) const {
    std::string text = read_file(baseline());
    const std::size_t at = text.find(old_text);
    ASSERT_NE(at, std::string::npos);
    write_file_atomically(baseline(), text.replace(at, old_text.size(), new_text));
  }
  void drop_last_row() const {
    const auto path = file("results/runs/latest/records.jsonl");
    const std::string text = read_file(path);
    write_file_atomically(path, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  }
  testing_fakes::ProgramResult accepted_;
};

TEST_F(CliGate, AnUntouchedRerunIsGreen) {
  highwater({"run"});
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output,
            "unchanged    steady/full/baseline/sim:h200\nunchanged    steady/full/save/sim:h200\n");
}

TEST_F(CliGate, FourMiBMoreAreRegressedWithTheCellTheFileAndTheCommand) {
  EXPECT_EQ(highwater({"run"}, kPlanted).status, 3);
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says(result.output, "unchanged    steady/full/baseline/sim:h200\n"));
  EXPECT_TRUE(says(result.output,
                   "regressed    steady/full/save/sim:h200: peak_allocated_bytes 60.0 MiB -> "
                   "64.0 MiB (+4,194,304 B, allowed 0 B)"))
      << result.output;
  EXPECT_TRUE(says(result.error, "file:    results/baselines/sim-h200-fake1/default.jsonl"));
  EXPECT_TRUE(says(result.error, "highwater baseline accept results/runs/latest"));
}

TEST_F(CliGate, ATechniqueThatSavesNothingIsRegressedByItsPromise) {
  highwater({"run"}, kSavesNothing);
  EXPECT_EQ(highwater({"baseline", "accept", "--reason", "by mistake"}).status, 6);
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says(result.output, "save promises to save at least 30.0 MiB")) << result.output;
}

TEST_F(CliGate, WhatNoBaselineHelpsNamesTheRunsFileAndACommandThatLooksIntoIt) {
  highwater({"run"}, kSavesNothing);
  EXPECT_TRUE(says(highwater({"gate"}).error,
                   "  file:    results/runs/latest/records.jsonl\n"
                   "  steady/full/save/sim:h200: highwater inspect steady save --preset full "
                   "--device sim:h200\n"));
  const auto accepted = highwater({"baseline", "accept", "--reason", "by mistake"});
  EXPECT_TRUE(says(accepted.error, "default.jsonl: not accepted, old rows stay: steady/full/save"));
  EXPECT_TRUE(says(accepted.error,
                   "highwater gate results/runs/latest --baselines "
                   "results/baselines\n"))
      << accepted.error;
}

TEST_F(CliGate, WithoutARunEachCommandSaysHowToMakeOne) {
  std::filesystem::remove_all(file("results/runs"));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"gate"},
                                                  {"baseline", "accept", "--reason", "x"},
                                                  {"baseline", "propose", "--reason", "x"},
                                                  {"compare", "a", "b"},
                                                  {"report"}}) {
    const auto result = highwater(command);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(says(result.error, "there is no such run; make one with `highwater run`"))
        << result.error;
  }
}

TEST_F(CliGate, AnUnrecordedWinIsAStaleBaselineForTheGateAndNoFailureOfTheRun) {
  EXPECT_EQ(highwater({"run"}, kImproved).status, 0);
  EXPECT_EQ(highwater({"gate"}).status, 4);
}

TEST_F(CliGate, AMissingCellFailsTheGate) {
  highwater({"run"});
  drop_last_row();
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 5);
  EXPECT_TRUE(
      says(result.output, "missing      steady/full/save/sim:h200: was planned, but is not"))
      << result.output;
}

TEST_F(CliGate, ACellWithoutABaselineIsNew) {
  EXPECT_EQ(highwater({"run", "--model", "steady,slow"}).status, 0);
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 5);
  EXPECT_TRUE(says(result.output, "new          slow/full/baseline/sim:h200: no baseline"));
}

TEST_F(CliGate, ABaselineOfAnotherTestbedIsIncomparable) {
  replace("\"testbed\":\"sim-h200-fake1\"", "\"testbed\":\"sim-h200-fake0\"");
  std::filesystem::rename(file("results/baselines/sim-h200-fake1"),
                          file("results/baselines/sim-h200-fake0"));
  EXPECT_EQ(highwater({"gate"}).status, 7);
}

TEST_F(CliGate, ADuplicateBaselineRowIsRefusedWithItsLineAndNothingIsOverwritten) {
  const std::string text = read_file(baseline());
  const std::string doubled = text + text.substr(text.rfind('\n', text.size() - 2) + 1);
  write_file_atomically(baseline(), doubled);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"gate"}, {"baseline", "accept", "--reason", "x"}}) {
    const auto result = highwater(command);
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(says(result.error, "default.jsonl:8: ")) << result.error;
    EXPECT_TRUE(says(result.error, "stands twice")) << result.error;
    EXPECT_EQ(read_file(baseline()), doubled);
  }
}

TEST_F(CliGate, ForeignRecordsAreRefused) {
  write_file_atomically(file("foreign.jsonl"), "{\"schema\":\"other/1\"}\n");
  const auto result = highwater({"gate", "foreign.jsonl"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "foreign.jsonl:1: schema is \"other/1\", but this program reads"));
}

TEST_F(CliGate, OneCellIsJudgedAlone) {
  highwater({"run"}, kPlanted);
  EXPECT_EQ(highwater({"gate", "--cell", "steady/full/baseline/sim:h200"}).status, 0);
  EXPECT_EQ(highwater({"gate", "--cell", "steady/full/save/sim:h200"}).status, 3);
  const auto absent = highwater({"gate", "--cell", "steady/full/half/sim:h200"});
  EXPECT_EQ(absent.status, 5);
  EXPECT_TRUE(says(absent.error, "highwater run --filter steady/full/half/sim:h200"));
  EXPECT_EQ(highwater({"gate", "--cell", "nonsense"}).status, 2);
}

TEST_F(CliGate, ASkippedCellExitsWith77AndNamesTheReasonFirst) {
  highwater({"run", "--model", "vision"});
  const auto result = highwater({"gate", "--cell", "vision/full/save/sim:h200"});
  EXPECT_EQ(result.status, 77);
  EXPECT_EQ(result.output.rfind("skipped: convolutions on the simulated GPU", 0), 0U)
      << result.output;
}

TEST_F(CliGate, CompareShowsOldNewAndChange) {
  std::filesystem::copy(file("results/runs/latest/records.jsonl"), file("old.jsonl"));
  highwater({"run"}, kPlanted);
  const auto result = highwater({"compare", "old.jsonl", "results/runs/latest"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says(result.output,
                   "steady/full/save/sim:h200        62,914,560    67,108,864  +4,194,304  +6.67 % "
                   "         │████████  regressed"))
      << result.output;
  EXPECT_EQ(highwater({"compare", "old.jsonl", "old.jsonl"}).status, 0);
}

TEST_F(CliGate, ReportPrintsTheTablesOfAFinishedRun) {
  EXPECT_EQ(highwater({"report"}).output.rfind("steady (full) on sim:h200\n", 0), 0U);
  EXPECT_EQ(highwater({"report", "--format", "markdown"}).output.rfind("# Training memory", 0), 0U);
}

// ---- accepting

TEST_F(CliGate, AcceptingShowsBeforeAndAfterAndTouchesOnlyRowsThatMoved) {
  highwater({"run"}, kPlanted);
  const auto result = highwater({"baseline", "accept", "--reason", "wider layer"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(says(result.output, "2 rows move"));
  EXPECT_TRUE(says(result.output, "62,914,560  67,108,864  +4,194,304")) << result.output;
  for (const BaselineRow& row : read_baseline(baseline()).rows) {
    const bool moved = says(row.cell, "/save/") && row.metric != "leak_bytes";
    EXPECT_EQ(row.reason, moved ? "wider layer" : "first") << row.cell << " " << row.metric;
  }
  EXPECT_EQ(highwater({"gate"}).status, 0);
}

TEST_F(CliGate, AcceptingAnEqualRunLeavesTheFileAlone) {
  const std::string before = read_file(baseline());
  const auto result = highwater({"baseline", "accept", "--reason", "again"});
  EXPECT_TRUE(says(result.output, "nothing moved"));
  EXPECT_EQ(read_file(baseline()), before);
}

TEST_F(CliGate, AcceptingAsksForAReason) {
  EXPECT_EQ(highwater({"baseline", "accept"}).status, 2);
  EXPECT_EQ(highwater({"baseline", "accept", "--reason", "  "}).status, 2);
}

TEST_F(CliGate, AcceptingAFailedCellKeepsItsOldRows) {
  highwater({"run", "--model", "crash,steady", "--technique", "baseline"});
  const auto result = highwater({"baseline", "accept", "--reason", "x"});
  EXPECT_TRUE(says(result.error, "not accepted, old rows stay: crash/full/baseline/sim:h200"))
      << result.error;
  EXPECT_FALSE(says(read_file(baseline()), "crash"));
}

TEST_F(CliGate, PruningNeedsARunOfTheWholeSuite) {
  highwater({"run", "--technique", "baseline"});
  EXPECT_EQ(highwater({"baseline", "accept", "--reason", "x", "--prune"}).status, 2);
  EXPECT_TRUE(says(read_file(baseline()), "/save/"));
}

TEST_F(CliGate, PruningNeedsACompleteRun) {
  highwater({"run"});
  drop_last_row();
  const auto result = highwater({"baseline", "accept", "--reason", "x", "--prune"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "--prune needs a complete run")) << result.error;
  EXPECT_TRUE(says(read_file(baseline()), "/save/"));
}

TEST_F(CliGate, PruningRemovesRowsOfCellsThatLeftTheSuite) {
  add_suite("default", {"slow"});
  highwater({"run"});
  EXPECT_EQ(highwater({"baseline", "accept", "--reason", "x", "--prune"}).status, 0);
  EXPECT_FALSE(says(read_file(baseline()), "steady/"));
}

TEST_F(CliGate, AcceptingNothingThoughSomethingNeededItIsAnError) {
  highwater({"run", "--model", "leaky", "--technique", "baseline"});
  EXPECT_EQ(highwater({"baseline", "accept", "--reason", "x"}).status, 6);
  highwater({"run", "--batch", "2"});
  const auto result = highwater({"baseline", "accept", "--reason", "x"});
  EXPECT_EQ(result.status, 6);
  EXPECT_TRUE(says(result.error, "no suite holds a cell of another batch")) << result.error;
  EXPECT_FALSE(says(read_file(baseline()), "batch"));
}

TEST_F(CliGate, ANarrowedRunIsJudgedTheSameByRunGateAndReport) {
  highwater({"run", "--technique", "baseline"});
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "unchanged    steady/full/baseline/sim:h200\n");
  EXPECT_EQ(highwater({"report", "--format", "markdown"}).output,
            read_file(file("results/runs/latest/report.md")));
}

TEST_F(CliGate, ACellThatCannotExistIsAMistakeOfWhoeverAsks) {
  for (const auto& [id, near] : std::map<std::string, std::string>{
           {"stedy/full/save/sim:h200", "did you mean \"steady\""},
           {"steady/ful/save/sim:h200", "did you mean \"full\""},
           {"steady/full/sav/sim:h200", "did you mean \"save\""},
           {"steady/full/save/sim:h20", "did you mean \"sim:h200\""}}) {
    const auto result = highwater({"gate", "--cell", id});
    EXPECT_EQ(result.status, 2) << id;
    EXPECT_TRUE(says(result.error, near)) << result.error;
  }
}

TEST_F(CliGate, CompareNamesEveryCellOfADeviceThatTheNewRunLacks) {
  highwater({"run", "--device", "sim:h200,cpu"});
  std::filesystem::copy(file("results/runs/latest/records.jsonl"), file("old.jsonl"));
  highwater({"run"});
  const auto result = highwater({"compare", "old.jsonl", "results/runs/latest"});
  EXPECT_EQ(result.status, 5);
  for (const char* id : {"steady/twin/baseline/cpu", "steady/twin/save/cpu"}) {
    EXPECT_TRUE(says(result.output, id)) << result.output;
  }
  EXPECT_TRUE(says(result.output, "missing: is in the old run, but not in the new one"));
  EXPECT_TRUE(says(result.error,
                   "  file:    old.jsonl\n  file:    results/runs/latest/records.jsonl\n"
                   "  steady/twin/baseline/cpu: highwater run --filter "
                   "steady/twin/baseline/cpu\n"))
      << result.error;
}

TEST_F(CliGate, ARecordCannotDecideWhereAcceptWrites) {
  const auto path = file("results/runs/latest/records.jsonl");
  std::string text = read_file(path);
  text.replace(text.find("\"default\""), 9, "\"../../../evil\"");
  write_file_atomically(path, text);
  const auto result = highwater({"baseline", "accept", "--reason", "x"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "records.jsonl:1: suite \"../../../evil\" may hold"))
      << result.error;
  EXPECT_FALSE(std::filesystem::exists(file("evil.jsonl")));
}

TEST_F(CliGate, OutputThatCannotBeWrittenIsNoPass) {
  const std::string command = std::string(HIGHWATER_PROGRAM) + " \"$@\" > /dev/full";
  for (const char* what : {"gate", "report", "--help"}) {
    const auto result = start("/bin/sh", {"-c", command, "sh", what}).wait();
    EXPECT_EQ(result.status, 2) << what;
    EXPECT_TRUE(says(result.error, "standard output cannot be written")) << result.error;
  }
}

TEST_F(CliGate, ADashboardGetsTheMetricsOfTheCell) {
  const auto result = highwater({"gate", "--cell", "steady/full/save/sim:h200", "--dashboard"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output,
                   "<CTestMeasurement type=\"numeric/integer\" "
                   "name=\"peak_allocated_bytes\">62914560</CTestMeasurement>\n"))
      << result.output;
  EXPECT_FALSE(says(highwater({"gate", "--cell", "steady/full/save/sim:h200"}).output, "CTest"));
  EXPECT_EQ(highwater({"gate", "--dashboard"}).status, 2) << "measurements of which cell?";
}

}  // namespace
}  // namespace highwater
