#include "harness/record/run_folder.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

constexpr std::time_t kTime = 1769860800;  // 2026-01-31 12:00:00 UTC

TEST(RunFolder, IsNamedByTheTimeAndNeverReused) {
  const testing_fakes::TemporaryFolder folder;
  EXPECT_EQ(create_run_folder(folder.path(), kTime).filename(), "20260131-120000");
  EXPECT_EQ(create_run_folder(folder.path(), kTime).filename(), "20260131-120000-1");
  EXPECT_EQ(utc_text(kTime), "2026-01-31T12:00:00Z");
}

TEST(RunFolder, ManyRunsOfOneSecondGetAFolderEach) {
  const testing_fakes::TemporaryFolder folder;
  std::vector<std::thread> runs;
  for (int i = 0; i < 16; ++i) {
    runs.emplace_back([&] {
      const FileLock lock = lock_run_folder(create_run_folder(folder.path() / "runs", kTime));
    });
  }
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path() / "runs"), {}), 16);
}

TEST(RunFolder, TheLockOfARunThatIsJustEndingIsWaitedFor) {
  const testing_fakes::TemporaryFolder folder;
  auto ending = std::make_unique<FileLock>(folder.path() / ".lock", "it");
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ending.reset();
  });
  EXPECT_NO_THROW(lock_run_folder(folder.path()));
  end.join();
}

TEST(RunFolder, LatestFollowsTheLastRun) {
  const testing_fakes::TemporaryFolder folder;
  for (int i = 0; i < 2; ++i) {
    const auto run = create_run_folder(folder.path(), kTime);
    point_latest_at(run);
    EXPECT_EQ(std::filesystem::read_symlink(folder.path() / "latest"), run.filename());
  }
}

TEST(RunFolder, AWritableFolderKeepsNoProbe) {
  const testing_fakes::TemporaryFolder folder;
  check_writable(folder.path() / "runs");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "runs"));
}

TEST(RunFolder, AnUnwritableFolderIsAnErrorThatSaysNothingWasMeasured) {
  const testing_fakes::TemporaryFolder folder;
  write_file_atomically(folder.path() / "file", "");
  for (const std::filesystem::path& where :
       {folder.path() / "file" / "runs", std::filesystem::path("/proc/runs")}) {
    try {
      check_writable(where);
      FAIL() << where;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("nothing was measured"), std::string::npos);
    }
  }
}

TEST(RunFolder, WhereLatestCannotBeMadeNothingIsLeftBehind) {
  const testing_fakes::TemporaryFolder folder;
  const auto run = create_run_folder(folder.path(), kTime);
  write_file_atomically(folder.path() / "latest" / "file", "in the way");
  EXPECT_THROW(point_latest_at(run), UsageError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

}  // namespace
}  // namespace highwater
