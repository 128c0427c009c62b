#include "harness/workload/batch_prefetch.hpp"

#include <gtest/gtest.h>

#include "harness/measure/memory_meter.hpp"
#include "harness/run/device_session.hpp"

namespace highwater {
namespace {

constexpr Bytes kInputBytes = 4 << 20;

/// What is active after two steps of a loop that never waits for the device, beyond what was
/// before.
MemoryCounts after_two_steps(bool records_stream) {
  const DeviceSession session("sim:h200");
  const auto meter = cuda_memory_meter(0);
  session.synchronize();
  session.release_caches();
  const MemoryCounts before = meter->current();
  const Batch host = in_pinned_memory(
      {.inputs = {at::zeros({kInputBytes / 4})}, .targets = at::zeros({1}, at::kLong)});
  BatchPrefetch prefetch(session.device(), records_stream);
  for (int step = 0; step < 2; ++step) {
    Batch batch = prefetch.take(host);
    for (int i = 0; i < 64; ++i) batch.inputs[0].sum();
    batch = {};
    prefetch.start(host);
  }
  const MemoryCounts after = meter->current();
  return {.allocated = after.allocated - before.allocated,
          .requested = after.requested - before.requested,
          .active = *after.active - *before.active,
          .reserved = *after.reserved - *before.reserved};
}

TEST(BatchPrefetch, SimKeepsABatchActiveUntilTheStepThatReadsItIsDone) {
  const MemoryCounts counts = after_two_steps(true);
  EXPECT_LT(counts.allocated, kInputBytes + (64 << 10));  // the next batch
  EXPECT_GE(*counts.active, 2 * kInputBytes);             // and one that is still read
}

// The race, as bytes: the next copy took the block that is still read.
TEST(BatchPrefetch, SimWithoutRecordStreamTheNextCopyTakesTheBlockAtOnce) {
  const MemoryCounts counts = after_two_steps(false);
  EXPECT_LT(*counts.active, kInputBytes + (64 << 10));
}

TEST(BatchPrefetch, SimBringsWhatLiesOnTheHost) {
  const DeviceSession session("sim:h200");
  const Batch host =
      in_pinned_memory({.inputs = {at::full({4}, 2.5)}, .targets = at::full({1}, 3, at::kLong)});
  EXPECT_TRUE(host.inputs[0].is_pinned());
  const Batch batch = BatchPrefetch(session.device(), true).take(host);
  EXPECT_TRUE(batch.inputs[0].is_cuda());
  EXPECT_EQ(batch.inputs[0].cpu()[3].item<float>(), 2.5F);
  EXPECT_EQ(batch.targets.cpu().item<std::int64_t>(), 3);
}

}  // namespace
}  // namespace highwater
