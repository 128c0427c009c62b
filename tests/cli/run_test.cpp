#include <csignal>
#include <thread>

#include "harness/core/files.hpp"
#include "harness/record/record.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class CliRun : public testing_fakes::FakeInstallation {
 protected:
  RunRecord latest() const { return read_run(file("results/runs/latest")); }
  bool says(const std::string& text, const std::string& part) const {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(CliRun, PrintsTheTableAndLeavesRecordsAReportAndLatest) {
  const auto result = highwater({"run"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output,
                   "save        60.0 MiB    -40.0 MiB  -40.0 %   62.0 MiB  exact      backward"))
      << result.output;
  EXPECT_EQ(latest().cells.size(), 2U);
  EXPECT_EQ(latest().header.testbeds.at("sim:h200").id, "sim-h200-fake1");
  EXPECT_EQ(latest().header.versions.at("torch"), "0.0.1");
  EXPECT_TRUE(
      says(read_file(file("results/runs/latest/report.md")), "### steady (full) on sim:h200"));
}

TEST_F(CliRun, StandardOutputHoldsResultsOnly) {
  const auto result = highwater({"run"});
  EXPECT_EQ(result.output.rfind("steady (full) on sim:h200\n", 0), 0U) << result.output;
  EXPECT_TRUE(says(result.error, "[2/2]"));
}

TEST_F(CliRun, TwoRunsHaveTheSameRows) {
  highwater({"run", "--jobs", "2"});
  const RunRecord first = latest();
  highwater({"run", "--jobs", "1"});
  const RunRecord second = latest();
  ASSERT_EQ(first.cells.size(), second.cells.size());
  for (std::size_t i = 0; i < first.cells.size(); ++i) {
    EXPECT_EQ(cell_line(first.cells[i]), cell_line(second.cells[i]));
  }
}

TEST_F(CliRun, BadCellsLeaveTheOtherRowsIntactAndExitWith6) {
  add_suite("bad",
            {"crash", "killed", "hang", "garbage", "exit3", "silent", "oom", "unsteady", "steady"});
  const auto result =
      highwater({"run", "--suite", "bad", "--technique", "baseline", "--timeout", "1"});
  EXPECT_EQ(result.status, 6) << result.error;
  std::vector<std::string> kinds;
  for (const CellRecord& record : latest().cells) kinds.push_back(to_text(record.outcome.kind));
  EXPECT_EQ(kinds, (std::vector<std::string>{"failed", "failed", "timed_out", "failed", "failed",
                                             "failed", "out_of_memory", "measured", "measured"}));
  EXPECT_TRUE(says(result.output, "out_of_memory: wanted 2.00 GiB, free 1.00 GiB of 4.00 GiB"));
}

TEST_F(CliRun, RecordOnlyLeavesTheJudgingToTheGate) {
  EXPECT_EQ(highwater({"run", "--model", "crash", "--record-only"}).status, 0);
  EXPECT_EQ(highwater({"gate"}).status, 6);
}

TEST_F(CliRun, ASkippedCellIsARowWithItsReason) {
  const auto result = highwater({"run", "--model", "vision", "--model", "steady"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "skipped: convolutions on the simulated GPU"));
}

TEST_F(CliRun, ConvolutionsRunOnceCudnnIsThere) {
  write_file_atomically(file("cudnn/libcudnn.so.9"), "");
  const auto result = highwater({"run", "--model", "vision"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(latest().cells.at(0).outcome.kind, OutcomeKind::measured);
}

TEST_F(CliRun, ARefusedCellIsARowWithItsSentence) {
  const auto result = highwater({"run", "--model", "refused"});
  EXPECT_EQ(result.status, 77) << result.error;
  EXPECT_TRUE(says(result.output, "refused: cudnnRNNForward is not known here."));
}

TEST_F(CliRun, TheGateHoldsTheLowEndAndWarnsOfTheHighOne) {
  highwater({"run", "--model", "bounded"});
  EXPECT_TRUE(says(read_file(file("results/runs/latest/report.md")), "100.0 MiB to 104.0 MiB"));
  EXPECT_EQ(highwater({"baseline", "accept", "--reason", "x"}).status, 0);
  EXPECT_EQ(highwater({"gate"}).status, 0);
  const auto baseline = file("results/baselines/sim-h200-fake1/default.jsonl");
  std::string text = read_file(baseline);
  const std::string high = "\"high\":" + std::to_string(104 << 20);
  ASSERT_NE(text.find(high), std::string::npos) << text;
  write_file_atomically(baseline, text.replace(text.find(high), high.size(), "\"high\":106954752"));
  const auto gate = highwater({"gate"});
  EXPECT_EQ(gate.status, 0);
  EXPECT_TRUE(says(gate.output, "warning: the high end of peak_allocated_bytes 102.0 MiB"))
      << gate.output;
}

TEST_F(CliRun, ARunThatSkippedEverythingSaysSoByItsStatus) {
  EXPECT_EQ(highwater({"run", "--model", "vision"}).status, 77);
}

TEST_F(CliRun, DryRunPrintsTheCellsAndWritesNothing) {
  const auto result =
      highwater({"run", "--dry-run", "--model", "steady,vision", "--technique", "save"});
  EXPECT_EQ(
      result.output.rfind("steady/full/save/sim:h200\nvision/full/save/sim:h200  skipped: ", 0), 0U)
      << result.output;
  EXPECT_FALSE(std::filesystem::exists(file("results")));
}

TEST_F(CliRun, CapacityAndBatchAreOfTheCell) {
  highwater({"run", "--technique", "baseline", "--capacity", "500MiB", "--batch", "4"});
  EXPECT_EQ(cell_id(latest().cells.at(0).cell),
            "steady/full/baseline/sim:h200/batch=4/capacity=524288000");
}

TEST_F(CliRun, NumericsOfTheCpuTwinStandBesideTheSimulatedRow) {
  const auto result = highwater({"run", "--device", "sim:h200,cpu"});
  EXPECT_TRUE(says(result.output, "bit-equal (cpu)")) << result.output;
  EXPECT_TRUE(says(result.output, "12.50 ms"));
}

TEST_F(CliRun, AnUnwritableResultsFolderIsAnErrorBeforeAnyCell) {
  write_file_atomically(file("blocked"), "");
  for (const std::string& where : {file("blocked/runs").string(), std::string("/proc/runs")}) {
    const auto result = highwater({"run", "--results", where, "--model", "hang"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(says(result.error, "nothing was measured")) << result.error;
  }
}

TEST_F(CliRun, AnUnusableDeviceIsAnErrorBeforeAnyCell) {
  const auto result = highwater({"run", "--device", "cuda"});
  EXPECT_EQ(result.status, 6);
  EXPECT_TRUE(
      says(result.error, "device cuda is not usable here: exit status 3; its last words: no such"));
  EXPECT_FALSE(std::filesystem::exists(file("results/runs/latest")));
}

TEST_F(CliRun, ACorruptBaselineIsAnErrorBeforeAnyCell) {
  write_file_atomically(file("results/baselines/bed/default.jsonl"), "<<<<<<< HEAD\n");
  const auto result = highwater({"run", "--model", "hang"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "default.jsonl:1: merge-conflict marker"));
}

TEST_F(CliRun, CtrlCLeavesFinishedRowsReadableAndExitsWith130) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(file("results"));
    const auto program = start(HIGHWATER_PROGRAM, {"run", "--model", "steady", "--model", "hang",
                                                   "--technique", "baseline", "--jobs", "1"});
    const auto records = [this]() -> std::filesystem::path {
      std::error_code error;
      for (const auto& run : std::filesystem::directory_iterator(file("results/runs"), error)) {
        if (std::filesystem::exists(run.path() / "records.jsonl"))
          return run.path() / "records.jsonl";
      }
      return {};
    };
    // The header names the planned cells, so the row is waited for and not its name.
    for (int i = 0; i < 600; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (!records().empty() && !read_run(records()).cells.empty()) break;
    }
    program.signal(signal);
    const auto result = program.wait();
    EXPECT_EQ(result.status, 130) << result.error;
    const RunRecord run = read_run(records());
    ASSERT_EQ(run.cells.size(), 1U);
    EXPECT_EQ(run.cells[0].cell.model, "steady");
    EXPECT_FALSE(std::filesystem::exists(file("results/runs/latest")));
  }
}

TEST_F(CliRun, LatestThatCannotBeMadeIsAWarningAfterTheTable) {
  write_file_atomically(file("results/runs/latest/file"), "in the way");
  const auto result = highwater({"run"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(says(result.output, "steady (full) on sim:h200"));
  EXPECT_TRUE(says(result.error, "warning: cannot point results/runs/latest at")) << result.error;
  EXPECT_TRUE(says(result.error, "report:  ")) << result.error;
}

TEST_F(CliRun, TheHeaderNamesEveryPlannedCell) {
  highwater({"run", "--technique", "save"});
  EXPECT_EQ(planned_cells(latest().header), std::vector<std::string>{"steady/full/save/sim:h200"});
  EXPECT_TRUE(is_narrowed(latest().header));
}

TEST_F(CliRun, ASuiteOfPublishedNumbersMeasuresItsCellsAndPrintsBoth) {
  write_file_atomically(paths().suites / "published.toml", R"(name = "published"
[[published]]
cell = "steady/full/save/sim:h200"
setting = "their batch"
printed = "66 MB"
bytes = "66 MiB"
metrics = ["peak_allocated_bytes"]
source = "a paper"
)");
  const auto result = highwater({"run", "--suite", "published"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(planned_cells(latest().header), std::vector<std::string>{"steady/full/save/sim:h200"});
  EXPECT_TRUE(says(result.output, "their batch      66 MB          -   60.0 MiB  -9.1 %"))
      << result.output;
  EXPECT_TRUE(says(read_file(file("results/runs/latest/report.md")), "| their batch |"));
  EXPECT_TRUE(says(highwater({"report"}).output, "their batch"));
  const auto narrowed = highwater({"run", "--suite", "published", "--device", "cpu"});
  EXPECT_EQ(narrowed.status, 2);
  EXPECT_TRUE(says(narrowed.error, "choose among them with --filter"));
}

TEST_F(CliRun, AnUnknownPresetOfASuiteIsAnErrorBeforeAnyCell) {
  add_suite("huge", {"hang"}, "\"sim:h200\"]\npresets = [\"ful\"");
  const auto result = highwater({"run", "--suite", "huge"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "unknown preset \"ful\"; did you mean \"full\"?"));
}

TEST_F(CliRun, APresetThatASuiteNamesTwiceIsMeasuredOnce) {
  add_suite("twice", {"steady"}, "\"sim:h200\"]\npresets = [\"full\", \"full\"");
  EXPECT_EQ(highwater({"list", "cells", "--suite", "twice"}).output,
            "steady/full/baseline/sim:h200\nsteady/full/save/sim:h200\n");
}

}  // namespace
}  // namespace highwater
