#include "harness/run/device_session.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/run/time_pass.hpp"

namespace highwater {
namespace {

TEST(DeviceSession, CpuTestbedNamesTheInstructionSetAndTheThreads) {
  const Testbed testbed = DeviceSession("cpu").testbed();
  EXPECT_EQ(testbed.id, "cpu-avx2-torch2.11.0");
  EXPECT_EQ(testbed.facts.at("threads"), "1");
}

TEST(DeviceSession, WithoutADeviceTheErrorSaysWhatToDo) {
  try {
    const DeviceSession session("sim:h200");
    FAIL() << "opened a device that is not there";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("no CUDA device was found"), std::string::npos);
  }
}

TEST(DeviceSession, SimTestbedIsTheProfiles) {
  const Testbed testbed = DeviceSession("sim:h200").testbed();
  EXPECT_EQ(testbed.id, "sim-h200-143156mib-sm9.0x132-torch2.11.0-cu130");
  EXPECT_EQ(testbed.facts.at("compute_capability"), "9.0");
  EXPECT_EQ(testbed.facts.at("address_order"), "falling");
  EXPECT_EQ(testbed.facts.at("cudnn"), "91900");
}

TEST(DeviceSession, SimKeepsAnotherAddressOrderApart) {
  setenv("SIMGPU_ADDRESS_ORDER", "rising", 1);
  EXPECT_EQ(DeviceSession("sim:h200").testbed().id,
            "sim-h200-143156mib-sm9.0x132-torch2.11.0-cu130-rising");
}

TEST(DeviceSession, SimKeepsAnotherAllocatorConfigurationApart) {
  setenv("PYTORCH_ALLOC_CONF", "expandable_segments:True", 1);
  EXPECT_EQ(DeviceSession("sim:h200").testbed().id,
            "sim-h200-143156mib-sm9.0x132-torch2.11.0-cu130-expandable_segments-true");
}

TEST(DeviceSession, SimulatedLibrariesAreNeverCalledCuda) {
  EXPECT_THROW(DeviceSession("cuda"), UsageError);
}

// The pass itself works on a CUDA device; that nobody times a simulated one is has_time()'s
// business.
TEST(TimePass, SimRunsThroughTheSameCodeAsACard) {
  const DeviceSession session("sim:h200");
  EXPECT_FALSE(session.has_time());
  const Cell cell = {
      .model = "mlp", .preset = "full", .technique = "baseline", .device = "sim:h200"};
  EXPECT_GT(measure_time(session, cell, StepPlan{}, Protocol{}).at("step_time_nanoseconds"), 0);
  session.release_caches();  // no recorder heard of its workspaces: the next would miss them
}

}  // namespace
}  // namespace highwater
