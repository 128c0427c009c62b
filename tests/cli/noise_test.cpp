#include <csignal>
#include <sstream>
#include <thread>

#include "harness/core/files.hpp"
#include "harness/record/repeats.hpp"
#include "harness/record/run_folder.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

class CliNoise : public testing_fakes::FakeInstallation {
 protected:
  /// Five rounds of a cell that needs 512 B and takes 1 ns more each time; `name` holds the study.
  testing_fakes::ProgramResult drift(const std::string& name,
                                     const std::string& milliseconds) const {
    return highwater(
        {"noise", "--model", "drifting", "--technique", "baseline", "--device", "cpu", "--results",
         name},
        {{"FAKE_COUNTER", file(name + ".counter").string()}, {"FAKE_MILLISECONDS", milliseconds}});
  }
  std::string study(const std::string& name) const { return file(name + "/latest").string(); }
  fs::path only_folder_in(const fs::path& path) const {
    for (int i = 0; i < 1500; ++i) {
      for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.is_directory()) return entry.path();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
  }
  void wait_for(const fs::path& path) const {
    for (int i = 0; i < 1500 && !fs::exists(path); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
};

TEST_F(CliNoise, SaysHowFarACellMovedAndWhatToTolerate) {
  const auto result = drift("a", "10");
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output,
                   "cpu     peak_allocated_bytes      1      1         2,048 B        0.002 %  "
                   "drifting/twin/baseline/cpu    4,096 B"))
      << result.output;
  EXPECT_EQ(read_rounds(study("a")).runs.size(), 5U);
}

TEST_F(CliNoise, TheTableFollowsFromTheRoundsAndFromTheirSummary) {
  const std::string printed = drift("a", "10").output;
  EXPECT_EQ(highwater({"noise", "--from", study("a")}).output, printed);
  EXPECT_EQ(highwater({"noise", "--from", study("a") + "/noise.jsonl"}).output, printed);
}

TEST_F(CliNoise, CellsThatPrintALotAndDoNotMoveNeedNoTolerance) {
  const auto result = highwater({"noise", "--model", "noisy", "--repeats", "2"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "sim     peak_allocated_bytes      2      0             0 B"))
      << result.output;
}

TEST_F(CliNoise, ACellThatFailedIsNamedAndExitsWith6) {
  const auto result = highwater({"noise", "--model", "oom,steady", "--repeats", "2"});
  EXPECT_EQ(result.status, 6);
  EXPECT_TRUE(
      says(result.output, "oom/full/baseline/sim:h200, round 2: out_of_memory: wanted 2.00 GiB"))
      << result.output;
}

TEST_F(CliNoise, AnInterruptedStudyLeavesItsFinishedRounds) {
  const auto program =
      start(HIGHWATER_PROGRAM, {"noise", "--model", "slow", "--repeats", "1000", "--results", "a"});
  wait_for(file("a"));
  const fs::path folder = only_folder_in(file("a"));
  wait_for(round_folder(folder, 3));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().status, 130);
  const auto result = highwater({"noise", "--from", folder.string()});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(says(result.output, "over 2 rounds of suite default")) << result.output;
  EXPECT_TRUE(says(result.error, "round-3 has not finished; it is left out")) << result.error;
}

TEST_F(CliNoise, ARoundIsLockedWhileItIsMeasured) {
  const auto program = start(HIGHWATER_PROGRAM, {"noise", "--model", "waits", "--results", "a"});
  wait_for(file("a"));
  const fs::path round = round_folder(only_folder_in(file("a")), 1);
  wait_for(records_path(round));
  const auto result = highwater({"run", "--resume", round.string()});
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().status, 130);
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "the run folder " + round.string() + " is in use by process "))
      << result.error;
}

TEST_F(CliNoise, RecordedRoundsAreNotMeasuredAgain) {
  EXPECT_EQ(highwater({"noise", "--from", "a", "--repeats", "3"}).status, 2);
}

TEST_F(CliNoise, AnotherInstallationIsMeasuredInTurn) {
  const fs::path other = file("other installation");
  fs::create_directories(other / "bin");
  write_file_atomically(other / "bin/highwater-cell",
                        "#!/bin/sh\nexport FAKE_MILLISECONDS=10\nexec " HIGHWATER_FAKE_CELL
                        " \"$@\"\n");
  fs::permissions(other / "bin/highwater-cell", fs::perms::owner_all);
  const auto result =
      highwater({"noise", "--model", "drifting", "--technique", "baseline", "--device", "cpu",
                 "--results", "a", "--against", other.string()},
                {{"FAKE_COUNTER", file("counter").string()}, {"FAKE_MILLISECONDS", "20"}});
  ASSERT_EQ(result.status, 0) << result.error;
  const std::size_t at = result.error.find("compare: highwater compare ");
  ASSERT_NE(at, std::string::npos) << result.error;
  std::istringstream words(result.error.substr(at));
  std::string word;
  std::string before;
  std::string after;
  words >> word >> word >> word >> before >> after;
  const auto compared = highwater({"compare", before, after, "--time"});
  EXPECT_TRUE(says(compared.output, "10.000 ms  20.000 ms  +100.00 %")) << compared.output;
  // The counter that both count on has moved by two between rounds of either.
  const auto runs = read_rounds(file(after)).runs;
  const auto peak = [&](std::size_t round) {
    return runs.at(round).cells.at(0).outcome.metrics.at("peak_allocated_bytes");
  };
  EXPECT_EQ(peak(1) - peak(0), 2 * 512);
}

TEST_F(CliNoise, AFolderThatIsNoInstallationIsNamed) {
  const auto result = highwater({"noise", "--against", file("nowhere").string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error,
                   "nowhere is no installation of Highwater: it has no "
                   "bin/highwater-cell"))
      << result.error;
}

TEST_F(CliNoise, TimeIsComparedAndDecidesNothingUnlessGated) {
  drift("a", "10");
  drift("b", "20");
  const auto advisory = highwater({"compare", study("a"), study("b"), "--time"});
  EXPECT_EQ(advisory.status, 0) << advisory.output;
  EXPECT_TRUE(
      says(advisory.output, "10.000 ms  20.000 ms  +100.00 %  0.000 ms  slower (p = 0.0079)"))
      << advisory.output;
  EXPECT_EQ(highwater({"compare", study("a"), study("b"), "--time", "--gate-time"}).status, 3);
  EXPECT_EQ(highwater({"compare", study("b"), study("a"), "--time", "--gate-time"}).status, 0);
}

}  // namespace
}  // namespace highwater
