#include "harness/core/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/error.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

using std::chrono::milliseconds;

class FileLocks : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / ".lock"; }
  bool is_free() const {
    try {
      FileLock(path(), "it");
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

 private:
  testing_fakes::TemporaryFolder folder_;
};

TEST_F(FileLocks, TheSecondIsToldWhoHoldsItAndWhatToDo) {
  const FileLock lock(path(), "the run folder x");
  const std::string own = std::to_string(::getpid());
  try {
    FileLock(path(), "the run folder x");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()), "the run folder x is in use by process " + own +
                                             ": wait until it has ended, or stop it (kill " + own +
                                             "), then try again");
  }
}

TEST_F(FileLocks, AHolderThatIsNoNumberIsNotQuoted) {
  const FileLock lock(path(), "it");
  std::filesystem::resize_file(path(), 0);
  try {
    FileLock(path(), "it");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("in use by another process"), std::string::npos);
  }
}

TEST_F(FileLocks, AReleasedOneIsFreeAndLeavesNoFile) {
  { const FileLock lock(path(), "it"); }
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(is_free());
}

TEST_F(FileLocks, TheKernelReleasesThatOfAKilledProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const FileLock lock(path(), "it");
    for (;;) ::pause();
  }
  while (!std::filesystem::exists(path()) || is_free())
    std::this_thread::sleep_for(milliseconds(5));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_free());
}

TEST_F(FileLocks, OneWithPatienceWaitsForTheHolder) {
  auto lock = std::make_unique<FileLock>(path(), "it");
  std::thread holder([&] {
    std::this_thread::sleep_for(milliseconds(100));
    lock.reset();
  });
  EXPECT_NO_THROW(FileLock(path(), "it", std::chrono::seconds(20)));
  holder.join();
}

TEST_F(FileLocks, ManyAtOnceNeverHoldItTogether) {
  std::atomic<int> inside = 0;
  std::atomic<int> together = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const FileLock lock(path(), "it", std::chrono::seconds(60));
        if (++inside > 1) ++together;
        std::this_thread::sleep_for(milliseconds(1));
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, 0);
}

TEST_F(FileLocks, OneThatCannotBeMadeNamesTheFileAndTheReason) {
  try {
    FileLock("/proc/nowhere/.lock", "it");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot lock it (/proc/nowhere/.lock): No such file or directory");
  }
}

}  // namespace
}  // namespace highwater
