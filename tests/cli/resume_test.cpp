#include <chrono>
#include <csignal>
#include <thread>

#include "harness/core/file_lock.hpp"
#include "harness/core/files.hpp"
#include "harness/record/record.hpp"
#include "harness/record/run_folder.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

class CliResume : public testing_fakes::FakeInstallation {
 protected:
  fs::path latest() const { return fs::canonical(file("results/runs/latest")); }
  std::string records() const { return read_file(records_path(latest())); }

  /// A finished run of four cells, cut back to its first `rows` rows and `half` bytes of the next.
  std::string cut_run(std::size_t rows, std::size_t half = 0) const {
    highwater({"run", "--model", "steady,bounded"});
    const std::string whole = records();
    std::size_t end = 0;
    for (std::size_t line = 0; line <= rows; ++line) end = whole.find('\n', end) + 1;
    write_file_atomically(records_path(latest()), whole.substr(0, end + half));
    fs::remove(report_path(latest()));
    return whole;
  }

  /// What the program says of a run that it must refuse with status 2, changing nothing.
  std::string refusal(const fs::path& run) const {
    const std::string before = read_file(records_path(run));
    const auto result = highwater({"run", "--resume", run.string()});
    EXPECT_EQ(result.status, 2) << result.error;
    EXPECT_EQ(read_file(records_path(run)), before);
    EXPECT_FALSE(fs::exists(run / ".lock"));
    return result.error;
  }

  void replace_in_header(const std::string& old_text, const std::string& new_text) const {
    std::string text = records();
    ASSERT_NE(text.find(old_text), std::string::npos) << text;
    write_file_atomically(records_path(latest()),
                          text.replace(text.find(old_text), old_text.size(), new_text));
  }
};

TEST_F(CliResume, TheRestIsMeasuredAndTheRecordsAreThoseOfARunInOneGo) {
  for (const std::size_t half : {0U, 25U}) {
    const std::string whole = cut_run(2, half);
    const fs::path run = latest();
    const auto result = highwater({"run", "--resume", run.string()});
    EXPECT_EQ(result.status, 0) << result.error;
    EXPECT_TRUE(says(result.error, "[2/2]")) << result.error;
    EXPECT_EQ(read_file(records_path(run)), whole);
    EXPECT_TRUE(fs::exists(report_path(run)));
    EXPECT_EQ(latest(), run);
  }
}

TEST_F(CliResume, FinishedRowsAreNotMeasuredAgain) {
  const std::string whole = cut_run(3);
  std::string kept = records();
  kept.replace(kept.find("\"leak_bytes\":0"), 14, "\"leak_bytes\":7");
  write_file_atomically(records_path(latest()), kept);
  highwater({"run", "--resume", latest().string()});
  EXPECT_EQ(records().substr(0, kept.size()), kept);
}

TEST_F(CliResume, LatestIsTheRunThatBeganLastThoughNoLinkNamesIt) {
  cut_run(4);
  const fs::path old = latest();
  write_file_atomically(old.parent_path() / "99991231-235959" / "records.jsonl", records());
  write_file_atomically(old.parent_path() / "99991231-235959-10" / "records.jsonl", records());
  write_file_atomically(old.parent_path() / "99991231-235959-9" / "records.jsonl", records());
  fs::create_directory(old.parent_path() / "99991231-235959-11");
  const auto result = highwater({"run", "--resume", "latest"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(latest().filename(), "99991231-235959-10");
}

TEST_F(CliResume, WithoutAnyRunLatestIsAnError) {
  const auto result = highwater({"run", "--resume", "latest"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "there is no run in results/runs")) << result.error;
}

TEST_F(CliResume, FlagsThatChooseCellsOrProtocolAreWrongUsage) {
  cut_run(2);
  for (const auto& [flag, value] : std::map<std::string, std::string>{{"--suite", "default"},
                                                                      {"--model", "steady"},
                                                                      {"--technique", "save"},
                                                                      {"--device", "cpu"},
                                                                      {"--filter", "*"},
                                                                      {"--batch", "1"},
                                                                      {"--capacity", "1GiB"},
                                                                      {"--timeout", "9"}}) {
    const auto result = highwater({"run", "--resume", "latest", flag, value});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(says(result.error, "--resume excludes " + flag)) << result.error;
  }
}

TEST_F(CliResume, TheProtocolIsThatOfTheHeaderWhateverTheSuiteSaysToday) {
  highwater({"run", "--timeout", "77"});
  fs::remove(report_path(latest()));
  add_suite("default", {"crash"});
  EXPECT_EQ(highwater({"run", "--resume", "latest"}).status, 0);
  EXPECT_TRUE(says(records(), "\"timeout_seconds\":77"));
  replace_in_header("\"timeout_seconds\":77", "\"timeout_seconds\":0");
  fs::remove(report_path(latest()));
  EXPECT_TRUE(says(refusal(latest()), "which is no protocol of this version"));
}

TEST_F(CliResume, ADryRunPrintsWhatIsLeftAndChangesNothing) {
  cut_run(3, 10);
  const std::string before = records();
  EXPECT_EQ(highwater({"run", "--resume", latest().string(), "--dry-run"}).output,
            "bounded/full/save/sim:h200\n");
  EXPECT_EQ(records(), before);
}

TEST_F(CliResume, ACompleteRunIsRefused) {
  highwater({"run"});
  EXPECT_TRUE(says(refusal(latest()), "it is complete"));
}

TEST_F(CliResume, AnotherTestbedOrVersionIsRefusedByItsFirstDifference) {
  cut_run(2);
  replace_in_header("\"id\":\"sim-h200-fake1\"", "\"id\":\"sim-h200-fake0\"");
  EXPECT_TRUE(says(refusal(latest()),
                   "testbed of sim:h200 was sim-h200-fake0, here it is sim-h200-fake1; go on"))
      << refusal(latest());
  replace_in_header("\"device\":\"sim:h200\"", "\"device\":\"sim:b200\"");
  EXPECT_TRUE(says(refusal(latest()), "sim:h200: fact device was sim:b200, here it is sim:h200"));
  replace_in_header("\"highwater\":\"", "\"highwater\":\"9");
  EXPECT_TRUE(says(refusal(latest()), "version of highwater was 9")) << refusal(latest());
}

TEST_F(CliResume, ACellThatDoesNotExistHereIsRefused) {
  cut_run(2);
  replace_in_header("bounded/full/save/sim:h200", "unbounded/full/save/sim:h200");
  EXPECT_TRUE(says(refusal(latest()), "unknown model \"unbounded\"; did you mean \"bounded\"?"));
}

TEST_F(CliResume, AFolderThatIsNoRunIsRefusedAndGetsNoLock) {
  fs::create_directory(file("empty"));
  for (const std::string& where : {file("empty").string(), std::string("nowhere"), std::string()}) {
    const auto result = highwater({"run", "--resume", where});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(says(result.error, "it is no folder of a run")) << result.error;
  }
  EXPECT_TRUE(fs::is_empty(file("empty")));
}

TEST_F(CliResume, ASecondRunIntoOneFolderIsToldWhoIsInIt) {
  cut_run(2);
  const FileLock lock = lock_run_folder(latest());
  const auto result = highwater({"run", "--resume", latest().string()});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "is in use by process " + std::to_string(::getpid()) +
                                     ": wait until it has ended, or stop it"))
      << result.error;
}

TEST_F(CliResume, ARunHoldsItsFolderWhileItMeasures) {
  const auto program = start(HIGHWATER_PROGRAM, {"run", "--model", "waits"});
  testing_fakes::ProgramResult result;
  for (int i = 0; i < 400 && !says(result.error, "is in use by"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    result = highwater({"run", "--resume", "latest"});
  }
  EXPECT_TRUE(says(result.error, "is in use by process ")) << result.error;
  program.signal(SIGTERM);
  const auto ended = program.wait();
  EXPECT_EQ(ended.status, 130);
  EXPECT_TRUE(says(ended.error, "go on with: highwater run --resume results/runs/")) << ended.error;
}

}  // namespace
}  // namespace highwater
