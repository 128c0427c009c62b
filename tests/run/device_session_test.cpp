#include "harness/run/device_session.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/run/time_pass.hpp"
#include "harness/run/workspace_blocks.hpp"
#include "harness/workload/layers.hpp"
#include "tests/support/memory_limit.hpp"

namespace highwater {
namespace {

using namespace literals;

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

/// What is left of tensors and models that are gone.
class ResidueSim : public testing::Test {
 protected:
  ResidueSim() { session_.release_caches(); }

  Bytes allocated() const { return meter_->current().allocated; }
  Bytes reserved() const { return meter_->current().reserved.value(); }
  /// Of the device, by this process: allocator and context.
  static Bytes used() {
    const DriverFree memory = cuda_free_memory(0);
    return memory.total - memory.free;
  }
  static Bytes total(const std::unordered_map<BlockId, Bytes>& blocks) {
    Bytes bytes = 0;
    for (const auto& [block, size] : blocks) bytes += size;
    return bytes;
  }

  DeviceSession session_{"sim:h200"};
  std::shared_ptr<AllocationRecorder> recorder_ =
      std::make_shared<AllocationRecorder>(session_.device());
  c10::DebugInfoGuard reporting_{c10::DebugInfoKind::PROFILER_STATE, recorder_};
  std::unique_ptr<MemoryMeter> meter_ = session_.meter(*recorder_);
};

// pytorch#17433: a tensor that is gone stays reserved until the caches are given back.
TEST_F(ResidueSim, OfATensorIsReservedUntilTheCachesAreReleased) {
  const Bytes context = used();
  at::empty({4_GiB}, at::device(session_.device()).dtype(at::kByte));
  EXPECT_EQ(allocated(), 0);
  EXPECT_EQ(reserved(), 4_GiB);
  EXPECT_EQ(used(), context + 4_GiB);
  session_.release_caches();
  EXPECT_EQ(reserved(), 0);
  EXPECT_EQ(used(), context);
}

// pytorch#106255 and #128033: the output holds the graph, that holds the weights, and nobody holds
// the workspaces.
TEST_F(ResidueSim, OfAModelWhoseOutputLivesIsKnownBlockByBlock) {
  at::Tensor x = at::randn({64, 512}, at::device(session_.device()));
  at::Tensor y = Linear(512, 512, session_.device()).forward(x);
  EXPECT_EQ(total(recorder_->alive()), allocated());
  const Bytes workspaces = total(clear_workspace_blocks(session_, *recorder_));
  EXPECT_GE(workspaces, 32_MiB);
  EXPECT_EQ(allocated(), (2 * 64 * 512 + 512 * 512 + 512) * 4);  // x, y, weight, bias
  x.reset();
  y.reset();
  EXPECT_EQ(allocated(), 0);
}

// pytorch#53788
TEST_F(ResidueSim, OfAModelThatMovedToTheHostIsTheContext) {
  const Bytes context = used();
  Linear layer(512, 512, session_.device());
  layer.to(at::kCPU);
  EXPECT_EQ(allocated(), 0);
  session_.release_caches();
  EXPECT_EQ(used(), context);
  EXPECT_GT(context, 0);
}

TEST_F(ResidueSim, OfALimitIsNothingOnceAllOfItIsTaken) {
  for (const Bytes limit : {20_MiB, 130_MiB, 1026_MiB, 99_GiB}) {
    const testing_support::MemoryLimit memory_limit(limit);
    const auto bytes = at::device(session_.device()).dtype(at::kByte);
    const at::Tensor all = at::empty({limit}, bytes);
    EXPECT_EQ(reserved(), limit);
    EXPECT_THROW(at::empty({1}, bytes), c10::OutOfMemoryError);
  }
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
