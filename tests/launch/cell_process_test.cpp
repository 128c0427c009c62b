#include "harness/launch/cell_process.hpp"

#include <dirent.h>
#include <sys/wait.h>

#include <cerrno>
#include <thread>

#include "harness/core/error.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class CellProcess : public testing_fakes::FakeInstallation {
 protected:
  MeasuredCell measure(const std::string& model, int timeout_seconds = 20,
                       const std::string& device = "sim:h200") {
    Protocol protocol;
    protocol.timeout_seconds = timeout_seconds;
    return measure_cell(parse_cell_id(model + "/full/baseline/" + device), protocol, paths(),
                        stop_);
  }
  std::atomic<bool> stop_ = false;
};

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST_F(CellProcess, AnAnswerBecomesTheOutcome) {
  const MeasuredCell cell = measure("steady");
  EXPECT_EQ(cell.outcome.kind, OutcomeKind::measured);
  EXPECT_EQ(cell.outcome.metrics.at("peak_allocated_bytes"), 100 << 20);
  EXPECT_GT(cell.wall.count(), 0);
}

TEST_F(CellProcess, AnOutOfMemoryAnswerKeepsItsReason) {
  const CellOutcome outcome = measure("oom").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_memory);
  EXPECT_EQ(outcome.reason, "wanted 2.00 GiB, free 1.00 GiB of 4.00 GiB");
}

TEST_F(CellProcess, ACrashIsAFailureNamingSignalAndLastWords) {
  const CellOutcome outcome = measure("crash").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_EQ(outcome.reason, "killed by SIGSEGV; its last words: about to die");
}

TEST_F(CellProcess, AKillIsAFailureNamingTheSignal) {
  EXPECT_EQ(measure("killed").outcome.reason, "killed by SIGKILL; its last words: about to die");
}

TEST_F(CellProcess, AnExitStatusIsAFailureWithTheLastMeaningfulLine) {
  EXPECT_EQ(measure("exit3").outcome.reason,
            "exit status 3; its last words: no such thing as a free lunch");
}

TEST_F(CellProcess, SilenceIsAFailure) {
  EXPECT_EQ(measure("silent").outcome.reason, "ended without an answer");
}

TEST_F(CellProcess, GarbageIsAFailure) {
  const CellOutcome outcome = measure("garbage").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_EQ(outcome.reason.rfind("its answer cannot be read", 0), 0U) << outcome.reason;
}

TEST_F(CellProcess, AnUnknownMetricIsAFailure) {
  EXPECT_EQ(measure("unknown_metric").outcome.reason,
            "its answer cannot be read: unknown metric \"mood\"");
}

TEST_F(CellProcess, AHangIsKilledWithItsWholeGroupAndTimedOut) {
  const auto start = std::chrono::steady_clock::now();
  const CellOutcome outcome = measure("hang", 1).outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::timed_out);
  EXPECT_EQ(outcome.reason, "no answer within 1 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(CellProcess, AStopKillsTheCell) {
  std::thread stopper([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop_ = true;
  });
  const MeasuredCell cell = measure("hang");
  stopper.join();
  EXPECT_TRUE(cell.interrupted);
}

TEST_F(CellProcess, MoreOutputThanAPipeHoldsIsKeptWhole) {
  const MeasuredCell cell = measure("noisy");
  EXPECT_EQ(cell.outcome.kind, OutcomeKind::measured);
  EXPECT_EQ(cell.log.size(), 1000U * 1001U + 1000U);
}

TEST_F(CellProcess, NoProcessOrDescriptorStaysBehind) {
  const std::size_t before = open_descriptors();
  for (const char* model : {"steady", "crash", "garbage", "silent"}) measure(model);
  measure("hang", 1);
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(CellProcess, TheCellInheritsNoDescriptorButItsOwn) {
  std::thread other([this] { measure("slow"); });
  const CellOutcome outcome = measure("descriptors").outcome;
  other.join();
  EXPECT_EQ(outcome.metrics.at("alloc_retries"), 0);
}

TEST_F(CellProcess, AMissingLauncherIsAFailureThatSaysSo) {
  std::filesystem::remove(file("bin/highwater-cell"));
  const std::string reason = measure("steady").outcome.reason;
  EXPECT_NE(reason.find("cannot start"), std::string::npos) << reason;
  EXPECT_NE(reason.find("No such file"), std::string::npos) << reason;
}

TEST_F(CellProcess, ADeviceDescribesItself) {
  EXPECT_EQ(describe_device("sim:h200", {}, paths(), stop_).id, "sim-h200-fake1");
}

TEST_F(CellProcess, AnUnusableDeviceIsAnErrorWithTheProcessesOwnWords) {
  try {
    describe_device("cuda", {}, paths(), stop_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::cell_error);
    EXPECT_NE(std::string(error.what()).find("free lunch"), std::string::npos);
  }
}

}  // namespace
}  // namespace highwater
