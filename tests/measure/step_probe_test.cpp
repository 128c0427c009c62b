#include "harness/measure/step_probe.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <thread>

namespace highwater {
namespace {

using namespace literals;

at::Tensor bytes(Bytes size) { return at::empty({size}, at::kByte); }

class CpuProbe : public testing::Test {
 protected:
  std::shared_ptr<AllocationRecorder> recorder =
      std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  c10::DebugInfoGuard guard{c10::DebugInfoKind::PROFILER_STATE, recorder};
  std::unique_ptr<MemoryMeter> meter = cpu_memory_meter(*recorder);
  StepProbe probe{*meter, *recorder};
};

TEST_F(CpuProbe, ResettingThePeakKeepsWhatIsAlive) {
  const at::Tensor kept = bytes(4_MiB);
  meter->reset_peak();
  bytes(1_MiB);
  EXPECT_EQ(meter->peak().allocated, 5_MiB);
  EXPECT_EQ(meter->current().allocated, 4_MiB);
}

TEST_F(CpuProbe, AfterAResetThePeakIsWhatIsAliveNotZero) {
  const at::Tensor kept = bytes(4_MiB);
  meter->reset_peak();
  EXPECT_EQ(meter->peak().allocated, 4_MiB);
}

TEST_F(CpuProbe, EachPhaseHasItsOwnPeakAndTheStepTheHighest) {
  probe.begin_step();
  probe.phase_begins(Phase::forward);
  bytes(3_MiB);
  probe.phase_ends(Phase::forward);
  probe.phase_begins(Phase::backward);
  bytes(1_MiB);
  probe.phase_ends(Phase::backward);
  const StepReading reading = probe.end_step();
  EXPECT_EQ(reading.phase_peak_allocated[static_cast<std::size_t>(Phase::forward)], 3_MiB);
  EXPECT_EQ(reading.phase_peak_allocated[static_cast<std::size_t>(Phase::backward)], 1_MiB);
  EXPECT_EQ(reading.peak.allocated, 3_MiB);
}

TEST_F(CpuProbe, ThePeakBetweenPhasesCountsForTheStep) {
  probe.begin_step();
  bytes(2_MiB);
  probe.phase_begins(Phase::forward);
  probe.phase_ends(Phase::forward);
  EXPECT_EQ(probe.end_step().peak.allocated, 2_MiB);
}

TEST_F(CpuProbe, ForwardLeavesBehindWhatItDidNotFree) {
  probe.begin_step();
  probe.phase_begins(Phase::forward);
  const at::Tensor saved = bytes(2_MiB);
  bytes(1_MiB);
  probe.phase_ends(Phase::forward);
  EXPECT_EQ(probe.end_step().activations_requested, 2_MiB);
}

TEST_F(CpuProbe, ABlockBornBeforeTheRecorderIsIgnoredWhenItDies) {
  at::Tensor unheard;
  {
    const c10::DebugInfoGuard deaf(c10::DebugInfoKind::PROFILER_STATE,
                                   std::make_shared<AllocationRecorder>(c10::DeviceType::CUDA));
    unheard = bytes(1_MiB);
  }
  unheard.reset();
  EXPECT_EQ(meter->current().allocated, 0);
}

TEST_F(CpuProbe, ABirthWhereSomethingLivesIsTheDeathOfTheOld) {
  int place = 0;
  recorder->reportMemoryUsage(&place, 100, 0, 0, c10::Device(c10::DeviceType::CPU));
  recorder->reportMemoryUsage(&place, 60, 0, 0, c10::Device(c10::DeviceType::CPU));
  EXPECT_EQ(recorder->current(), 60);
}

TEST_F(CpuProbe, AddressesAreReusedButBlocksAreNot) {
  at::Tensor first = bytes(64);
  const auto id = recorder->block_at(first.data_ptr());
  first.reset();
  const at::Tensor second = bytes(64);
  EXPECT_NE(recorder->block_at(second.data_ptr()), id);
}

TEST_F(CpuProbe, TheLogHoldsWhatHappenedInEachInterval) {
  recorder->start_log();
  recorder->begin_interval(Phase::forward);
  bytes(1_MiB);
  const AllocationLog log = recorder->stop_log();
  ASSERT_EQ(log.events.size(), 2U);
  EXPECT_EQ(log.events[0].size, 1_MiB);
  EXPECT_EQ(log.events[1].size, -1_MiB);
  EXPECT_EQ(log.intervals.at(log.events[1].interval).phase, Phase::forward);
}

}  // namespace
}  // namespace highwater
