#include "harness/launch/cell_process.hpp"

#include <dirent.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
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

// Whether the process ends, or is a corpse that nobody reaped, within a second.
bool dies(int process) {
  for (int i = 0; i < 50; ++i) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string stat(std::istreambuf_iterator<char>(file), {});
    const std::size_t name_end = stat.rfind(") ");
    if (name_end == std::string::npos || stat[name_end + 2] == 'Z') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
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

TEST_F(CellProcess, UnknownSizesAreMeasuredAtBothEnds) {
  const MeasuredCell cell = measure("bounded");
  EXPECT_EQ(cell.outcome.kind, OutcomeKind::measured) << cell.outcome.reason;
  EXPECT_EQ(cell.outcome.certainty, Certainty::bounded);
  EXPECT_EQ(cell.outcome.metrics.at("peak_allocated_bytes"), 100 << 20);
  EXPECT_EQ(cell.outcome.high, (Measurement{{"peak_allocated_bytes", 104 << 20}}));
  EXPECT_EQ(cell.log, "low end\nhigh end\n");
}

TEST_F(CellProcess, UnknownSizesThatMoveNoNumberLeaveItExact) {
  const CellOutcome outcome = measure("settled").outcome;
  EXPECT_EQ(outcome.certainty, Certainty::exact);
  EXPECT_TRUE(outcome.high.empty());
}

TEST_F(CellProcess, ACellThatDoesNotFitAtTheHighEndIsOutOfMemoryAndSaysAtWhichEnd) {
  const CellOutcome outcome = measure("tight").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_memory);
  EXPECT_EQ(outcome.certainty, std::nullopt);
  EXPECT_EQ(outcome.reason,
            "with the highest sizes that a real device may ask for: "
            "wanted 2.00 GiB, free 1.00 GiB of 4.00 GiB");
}

TEST_F(CellProcess, AStopByNameIsARefusalWithItsSentence) {
  const CellOutcome outcome = measure("refused").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  EXPECT_EQ(outcome.certainty, Certainty::refused);
  EXPECT_EQ(outcome.reason, "cudnnRNNForward is not known here.");
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
  const MeasuredCell cell = measure("hang", 3);
  EXPECT_EQ(cell.outcome.kind, OutcomeKind::timed_out);
  EXPECT_EQ(cell.outcome.reason.rfind("no answer within 3 s", 0), 0U);
  ASSERT_EQ(cell.log.rfind("grandchild ", 0), 0U) << cell.log;
  EXPECT_TRUE(dies(std::stoi(cell.log.substr(11))));
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

TEST_F(CellProcess, OfMuchOutputTheStartAndTheEndAreKept) {
  const MeasuredCell cell = measure("noisy");
  EXPECT_EQ(cell.outcome.kind, OutcomeKind::measured);
  EXPECT_EQ(cell.log.substr(0, 3), "xxx");
  const std::size_t dropped = 1000U * 1001U + 1000U - 2 * 65536U;
  EXPECT_NE(cell.log.find("\n[" + std::to_string(dropped) + " bytes left out]\n"),
            std::string::npos);
  EXPECT_EQ(cell.log.substr(cell.log.size() - 1000), std::string(1000, 'x'));
}

TEST_F(CellProcess, AFloodIsTimedOutAndKeptWithinBounds) {
  const MeasuredCell cell = measure("flood", 1);
  EXPECT_EQ(cell.outcome.kind, OutcomeKind::timed_out);
  EXPECT_LT(cell.log.size(), 140U << 10);
  EXPECT_LT(cell.wall, std::chrono::seconds(10));
}

TEST_F(CellProcess, AnAnswerWithoutEndIsAFailure) {
  const CellOutcome outcome = measure("talkative").outcome;
  EXPECT_EQ(outcome.kind, OutcomeKind::failed);
  EXPECT_EQ(outcome.reason, "its answer is longer than 16777216 bytes");
}

TEST_F(CellProcess, ANumberThatNoReaderWouldTakeIsAFailure) {
  EXPECT_EQ(measure("no_peak").outcome.reason,
            "its answer cannot be read: it is measured, but its peak_allocated_bytes is 0");
  EXPECT_EQ(measure("negative").outcome.reason,
            "its answer cannot be read: metrics.parameters_bytes cannot be negative, but is -1");
}

TEST_F(CellProcess, VariablesThatTheTableUnsetsDoNotReachTheCell) {
  ::setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  ::setenv("SIMGPU_CAPACITY_BYTES", "1", 1);
  ::setenv("PYTORCH_ALLOC_CONF", "a:b", 1);
  const std::string log = measure("environment").log;
  for (const char* name : {"NVIDIA_TF32_OVERRIDE", "SIMGPU_CAPACITY_BYTES", "PYTORCH_ALLOC_CONF"}) {
    ::unsetenv(name);
  }
  EXPECT_EQ(log.find("NVIDIA_TF32_OVERRIDE"), std::string::npos);
  EXPECT_EQ(log.find("SIMGPU_CAPACITY_BYTES"), std::string::npos);
  EXPECT_NE(log.find("PYTORCH_ALLOC_CONF=a:b\n"), std::string::npos);
}

TEST_F(CellProcess, NoProcessOrDescriptorStaysBehind) {
  const std::size_t before = open_descriptors();
  for (const char* model : {"steady", "crash", "garbage", "silent"}) measure(model);
  measure("hang", 3);
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
