#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "harness/core/die_with_parent.hpp"
#include "harness/core/files.hpp"
#include "harness/record/record.hpp"
#include "harness/record/run_folder.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// Kills the runner with SIGKILL, which it can neither see nor outlive.
class CliKill : public testing_fakes::FakeInstallation {
 protected:
  /// The records of the only run; a path that does not exist where none has begun.
  fs::path records() const {
    std::error_code error;
    for (const auto& run : fs::directory_iterator(file("results/runs"), error)) {
      if (!run.is_symlink() && fs::exists(records_path(run.path())))
        return records_path(run.path());
    }
    return file("no records");
  }

  std::size_t finished_rows() const {
    std::ifstream stream(records());
    std::size_t lines = 0;
    for (std::string line; std::getline(stream, line);) lines += stream.eof() ? 0 : 1;
    return lines == 0 ? 0 : lines - 1;
  }

  /// The runner and its cells, by the folder that they work in: one that was not yet a cell when
  /// its runner was killed bears the runner's name.
  int alive() const {
    int alive = 0;
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::error_code error;
      alive += fs::read_symlink(process.path() / "cwd", error) == folder() ? 1 : 0;
    }
    return alive;
  }

  bool no_cell_lives_on() const {
    for (int i = 0; i < 200 && alive() > 0; ++i) std::this_thread::sleep_for(milliseconds(10));
    return alive() == 0;
  }
};

TEST_F(CliKill, NoCellOutlivesTheRunner) {
  const auto runner = start(HIGHWATER_PROGRAM, {"run", "--model", "waits"});
  for (int i = 0; i < 500 && (alive() < 2 || !fs::exists(records())); ++i)
    std::this_thread::sleep_for(milliseconds(20));
  ASSERT_GE(alive(), 2) << "the runner and a cell";
  runner.signal(SIGKILL);
  runner.wait();
  EXPECT_TRUE(no_cell_lives_on());
}

TEST(DieWithParent, AParentThatEndedBeforeTheCallIsNoticed) {
  const pid_t child = ::fork();
  if (child == 0) {
    die_with_parent(::getpid());  // which is not its parent
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

std::string without_first_line(const std::string& text) { return text.substr(text.find('\n') + 1); }

/// Ten random moments for each seed.
class RandomKills : public CliKill, public ::testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    add_suite("default", {"steady", "bounded", "oom", "exit3", "vision", "settled"});
    highwater({"run"});
    reference_ = without_first_line(read_file(records()));
    std::istringstream lines(reference_);
    for (std::string line; std::getline(lines, line);) rows_.insert(line);
  }

  std::size_t random(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(generator_);
  }

  /// At a random moment after a random number of rows.
  void kill_somewhere(const std::vector<std::string>& arguments) {
    const auto runner = start(HIGHWATER_PROGRAM, arguments);
    const std::size_t rows = random(rows_.size() - 1);
    for (int i = 0; i < 5000 && finished_rows() < rows; ++i)
      std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(microseconds(random(rows == 0 ? 60'000 : 15'000)));
    runner.signal(SIGKILL);
    runner.wait();
    EXPECT_TRUE(no_cell_lives_on());
    check_finished_rows();
  }

  void check_finished_rows() const {
    const std::size_t finished = finished_rows();
    if (!fs::exists(records()) || read_file(records()).find('\n') == std::string::npos) return;
    const RunRecord run = read_run(records());
    EXPECT_GE(run.cells.size(), finished);
    for (const CellRecord& record : run.cells) EXPECT_TRUE(rows_.contains(cell_line(record)));
  }

  /// A run that had no time to write its header is begun anew.
  std::vector<std::string> next_command() const {
    const auto resume = highwater({"run", "--resume", "latest", "--dry-run"});
    if (resume.status == 0) return {"run", "--resume", "latest"};
    bool expected = false;
    // One killed after its last word is complete, and measured once more.
    for (const char* reason : {"measured nothing", "there is no run in", "it is complete"})
      expected = expected || resume.error.find(reason) != std::string::npos;
    EXPECT_TRUE(expected) << resume.error;
    fs::remove_all(file("results"));
    return {"run"};
  }

  std::string reference_;
  std::set<std::string> rows_;
  std::mt19937 generator_{GetParam()};
};

TEST_P(RandomKills, EveryFinishedRowIsReadableAndResumingEndsAsARunInOneGo) {
  for (int moment = 0; moment < 10; ++moment) {
    fs::remove_all(file("results"));
    kill_somewhere({"run"});
    if (moment % 2 == 0) kill_somewhere(next_command());
    highwater(next_command());
    EXPECT_EQ(without_first_line(read_file(records())), reference_) << "moment " << moment;
    EXPECT_TRUE(fs::exists(report_path(records().parent_path())));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKills, ::testing::Range(1U, 6U));

}  // namespace
}  // namespace highwater
