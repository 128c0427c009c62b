#include "harness/launch/suite_runner.hpp"

#include <algorithm>
#include <sstream>
#include <thread>

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class SuiteRunner : public testing_fakes::FakeInstallation {
 protected:
  bool run(const std::vector<std::string>& models, int jobs, const OnOutcome& on_outcome) {
    std::vector<PlannedCell> plan;
    for (const std::string& model : models) {
      plan.push_back(
          {parse_cell_id(model + "/full/baseline/sim:h200"), model == "vision" ? "no eyes" : ""});
    }
    const RunnerOptions options{paths(), {}, jobs, file("logs")};
    Progress progress(text_, false, plan.size());
    return run_suite(plan, options, stop_, progress, on_outcome);
  }
  OnOutcome remember() {
    return [this](const Cell& cell, const CellOutcome& outcome) {
      seen_.push_back(cell.model + " " + to_text(outcome.kind));
    };
  }
  std::atomic<bool> stop_ = false;
  std::vector<std::string> seen_;
  std::ostringstream text_;
};

PlannedCell planned(const std::string& device) { return {parse_cell_id("m/full/t/" + device), ""}; }

TEST_F(SuiteRunner, HandsOnOutcomesInPlanOrderWhateverEndsFirst) {
  EXPECT_TRUE(run({"slow", "steady", "vision", "steady"}, 3, remember()));
  EXPECT_EQ(seen_, (std::vector<std::string>{"slow measured", "steady measured", "vision skipped",
                                             "steady measured"}));
}

TEST_F(SuiteRunner, AFailingCellLeavesTheOthersAlone) {
  EXPECT_TRUE(run({"crash", "steady"}, 1, remember()));
  EXPECT_EQ(seen_, (std::vector<std::string>{"crash failed", "steady measured"}));
}

TEST_F(SuiteRunner, AfterAStopFinishedCellsBehindAGapAreHandedOn) {
  const bool complete = run({"steady", "hang", "slow", "steady", "steady"}, 2,
                            [&](const Cell& cell, const CellOutcome& outcome) {
                              remember()(cell, outcome);
                              if (seen_.size() == 1) {
                                std::thread([this] {
                                  std::this_thread::sleep_for(std::chrono::seconds(3));
                                  stop_ = true;
                                }).detach();
                              }
                            });
  EXPECT_FALSE(complete);
  EXPECT_EQ(seen_, (std::vector<std::string>{"steady measured", "slow measured", "steady measured",
                                             "steady measured"}));
}

TEST_F(SuiteRunner, AnErrorOfTheReceiverEndsTheRunAndComesOut) {
  const OnOutcome full_disk = [](const Cell&, const CellOutcome&) {
    throw std::runtime_error("disk full");
  };
  EXPECT_THROW(run({"steady", "hang"}, 2, full_disk), std::runtime_error);
}

TEST_F(SuiteRunner, KeepsWhatCellsPrint) {
  run({"exit3"}, 1, remember());
  EXPECT_EQ(read_file(file("logs/exit3_full_baseline_sim-h200.log")).rfind("no such thing", 0), 0U);
}

TEST_F(SuiteRunner, TellsOneLinePerCellWhereThereIsNoTerminal) {
  run({"steady", "vision"}, 1, remember());
  const std::string text = text_.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_NE(text.find("[2/2] vision/full/baseline/sim:h200 skipped 0.0 s: no eyes\n"),
            std::string::npos);
}

TEST(Jobs, AreOneWhereAnyCellRunsOnARealCard) {
  EXPECT_EQ(jobs_for({planned("cpu"), planned("cuda")}, 8), 1);
}

TEST(Jobs, FollowTheWishAndElseStayWithinTwo) {
  EXPECT_EQ(jobs_for({planned("cpu")}, 8), 8);
  EXPECT_LE(jobs_for({planned("cpu")}, 0), 2);
  EXPECT_GE(jobs_for({planned("cpu")}, 0), 1);
}

TEST_F(SuiteRunner, ALogThatCannotBeKeptIsAWarningAndCostsNoOutcome) {
  write_file_atomically(file("logs"), "in the way");
  EXPECT_TRUE(run({"exit3", "steady"}, 1, remember()));
  EXPECT_EQ(seen_, (std::vector<std::string>{"exit3 failed", "steady measured"}));
  EXPECT_NE(text_.str().find("warning: cannot create the folder of"), std::string::npos)
      << text_.str();
}

}  // namespace
}  // namespace highwater
