#include "fidelity/allocator/allocator.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "fidelity/allocator/recorded_driver.hpp"

namespace highwater::oracle {
namespace {

/// A driver without a recording hands out rising addresses and never the same twice.
struct Oracle {
  explicit Oracle(const Settings& settings = {}, Bytes capacity = unlimited)
      : driver({}, {16 * 1024 * mib, capacity}), allocator(driver, settings) {}

  Address allocate(Bytes bytes, Stream stream = 0) {
    return allocator.allocate(bytes, stream).value();
  }
  std::vector<Action> actions() {
    std::vector<Action> actions;
    for (const Event& event : allocator.take_events()) actions.push_back(event.action);
    return actions;
  }

  RecordedDriver driver;
  Allocator allocator;
};

using Actions = std::vector<Action>;

TEST(Oracle, CutsBlocksFromTheFrontOfASegment) {
  Oracle oracle;
  const Address first = oracle.allocate(100);
  EXPECT_EQ(oracle.allocate(100), first + 512);
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 2 * mib);
  EXPECT_EQ(oracle.actions(), (Actions{Action::segment_alloc, Action::alloc, Action::alloc}));
}

TEST(Oracle, MergesFreeNeighbours) {
  Oracle oracle;
  const Address first = oracle.allocate(512);
  const Address second = oracle.allocate(512);
  oracle.allocate(512);
  oracle.allocator.free(first);
  oracle.allocator.free(second);
  EXPECT_EQ(oracle.allocate(1024), first);
}

TEST(Oracle, TakesTheSmallestBlockThatFitsAndTheLowestOfEqualOnes) {
  Oracle oracle;
  std::vector<Address> blocks;
  for (const Bytes bytes : {2048, 512, 1024, 512, 1024, 512})
    blocks.push_back(oracle.allocate(bytes));
  for (const std::size_t index : {4, 0, 2}) oracle.allocator.free(blocks[index]);
  EXPECT_EQ(oracle.allocate(1000), blocks[2]);
  EXPECT_EQ(oracle.allocate(1000), blocks[4]);
  EXPECT_EQ(oracle.allocate(1000), blocks[0]);
}

TEST(Oracle, KeepsStreamsApart) {
  Oracle oracle;
  oracle.allocator.free(oracle.allocate(12 * mib, 1));
  oracle.allocate(12 * mib, 2);
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 24 * mib);
}

TEST(Oracle, EmptiesTheCacheBeforeItGivesUp) {
  Oracle oracle({}, 30 * mib);
  oracle.allocator.free(oracle.allocate(20 * mib));
  oracle.actions();
  oracle.allocate(24 * mib);
  EXPECT_EQ(oracle.actions(),
            (Actions{Action::segment_free, Action::segment_alloc, Action::alloc}));
  EXPECT_FALSE(oracle.allocator.allocate(12 * mib, 0));
  EXPECT_EQ(oracle.actions(), Actions{Action::oom});
}

TEST(Oracle, CannotGiveBackASegmentThatIsPartlyUsed) {
  Oracle oracle;
  const Address first = oracle.allocate(2 * mib);
  oracle.allocate(2 * mib);
  oracle.allocator.free(first);
  oracle.allocator.empty_cache();
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 20 * mib);
}

TEST(Oracle, HoldsAFreedBlockUntilItsStreamsAreDone) {
  Oracle oracle;
  const Address block = oracle.allocate(12 * mib);
  oracle.allocator.use(block, 7);
  oracle.allocator.free(block);
  EXPECT_NE(oracle.allocate(12 * mib), block);
  oracle.driver.clocks().finish(7);
  EXPECT_EQ(oracle.allocate(12 * mib), block);
}

TEST(Oracle, WaitsForStreamsBeforeItEmptiesTheCache) {
  Oracle oracle;
  const Address block = oracle.allocate(12 * mib);
  oracle.allocator.use(block, 7);
  oracle.allocator.free(block);
  oracle.allocator.empty_cache();
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 0u);
}

TEST(Oracle, CollectsWhatWasPassedOverMostOften) {
  Oracle oracle({.garbage_collection_threshold = 0.7, .allowed_bytes = 100 * mib});
  const Address old_block = oracle.allocate(30 * mib);
  const Address young_block = oracle.allocate(40 * mib);
  oracle.allocator.free(old_block);
  oracle.allocate(2 * mib, 1);
  oracle.allocator.free(young_block);
  oracle.actions();
  oracle.allocate(30 * mib, 2);
  EXPECT_EQ(oracle.actions(),
            (Actions{Action::segment_free, Action::segment_alloc, Action::alloc}));
  EXPECT_EQ(oracle.allocator.layout().size(), 3u);
}

TEST(Oracle, GrowsAnExpandableSegmentPageByPage) {
  Oracle oracle({.expandable_segments = true});
  const Address first = oracle.allocate(20 * mib);
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 20 * mib);
  EXPECT_EQ(oracle.allocate(30 * mib), first + 20 * mib);
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 60 * mib);
  oracle.allocator.free(first);
  oracle.allocator.empty_cache();
  EXPECT_EQ(oracle.allocator.reserved_bytes(), 40 * mib);
  EXPECT_EQ(oracle.actions(),
            (Actions{Action::segment_map, Action::alloc, Action::segment_map, Action::alloc,
                     Action::free_requested, Action::free_completed, Action::segment_unmap}));
}

TEST(Oracle, RefusesToFreeWhatItDidNotGive) {
  Oracle oracle;
  const Address block = oracle.allocate(512);
  EXPECT_THROW(oracle.allocator.free(block + 512), std::invalid_argument);
  oracle.allocator.free(block);
  EXPECT_THROW(oracle.allocator.free(block), std::invalid_argument);
}

}  // namespace
}  // namespace highwater::oracle
