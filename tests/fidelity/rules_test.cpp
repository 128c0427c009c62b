#include "fidelity/allocator/rules.hpp"

#include <gtest/gtest.h>

namespace highwater::oracle::published {
namespace {

constexpr Bytes gib = 1024 * mib;

TEST(PublishedRules, RoundToMultiplesOf512Bytes) {
  EXPECT_EQ(block_bytes(1, {}), 512u);
  EXPECT_EQ(block_bytes(512, {}), 512u);
  EXPECT_EQ(block_bytes(513, {}), 1024u);
  EXPECT_EQ(block_bytes(10 * mib + 1, {}), 10 * mib + 512);
}

/// The documentation's example: 1,200 lies between 1,024 and 2,048, whose four steps are 256 apart;
/// it is scaled here, because sizes up to 512 bytes a step are rounded the plain way.
TEST(PublishedRules, RoundToStepsOfAPowerOfTwo) {
  Settings settings;
  settings.power2_divisions.fill(4);
  EXPECT_EQ(block_bytes(1200 * kib, settings), 1280 * kib);
  EXPECT_EQ(block_bytes(1280 * kib, settings), 1280 * kib);
  EXPECT_EQ(block_bytes(2 * mib, settings), 2 * mib);
  EXPECT_EQ(block_bytes(2048, settings), 2048u);
  EXPECT_EQ(block_bytes(2049, settings), 2560u);
}

TEST(PublishedRules, ChooseTheStepsByTheSizesPowerOfTwo) {
  Settings settings;
  settings.power2_divisions = {2, 4};
  EXPECT_EQ(block_bytes(600 * kib, settings), 768 * kib);
  EXPECT_EQ(block_bytes(1100 * kib, settings), 1536 * kib);
  EXPECT_EQ(block_bytes(2100 * kib, settings), 2560 * kib);
  EXPECT_EQ(block_bytes(5 * mib + 1, settings), 5 * mib + 512);
  settings.power2_divisions.back() = 2;
  EXPECT_EQ(block_bytes(65 * gib, settings), 96 * gib);
}

TEST(PublishedRules, FetchSegmentsBySize) {
  EXPECT_EQ(segment_bytes(mib, {}), 2 * mib);
  EXPECT_EQ(segment_bytes(mib + 512, {}), 20 * mib);
  EXPECT_EQ(segment_bytes(10 * mib - 512, {}), 20 * mib);
  EXPECT_EQ(segment_bytes(10 * mib, {}), 10 * mib);
  EXPECT_EQ(segment_bytes(10 * mib + 512, {}), 12 * mib);
}

TEST(PublishedRules, SplitByPool) {
  EXPECT_TRUE(splits(Pool::small, 512, 512, {}));
  EXPECT_FALSE(splits(Pool::small, 512, 0, {}));
  EXPECT_FALSE(splits(Pool::large, 2 * mib, mib, {}));
  EXPECT_TRUE(splits(Pool::large, 2 * mib, mib + 512, {}));
  EXPECT_FALSE(splits(Pool::large, 30 * mib, 30 * mib, {.max_split_bytes = 30 * mib}));
  EXPECT_TRUE(splits(Pool::large, 2 * mib, 512, {.expandable_segments = true}));
}

TEST(PublishedRules, OrderEqualBlocksByAddressOrBySegment) {
  const Spot low{.address = 512, .segment = 2};
  const Spot high{.address = 1024, .segment = 1};
  EXPECT_TRUE(precedes(low, high));
  EXPECT_TRUE(precedes_by_segment(high, low));
  EXPECT_FALSE(precedes_by_segment({.bytes = 1024, .segment = 1}, {.bytes = 512, .segment = 2}));
}

TEST(PublishedRules, KeepOversizeBlocksForOversizeRequests) {
  const Settings settings{.max_split_bytes = 30 * mib, .max_non_split_rounding_bytes = 20 * mib};
  EXPECT_FALSE(serves(29 * mib, 30 * mib, settings));
  EXPECT_TRUE(serves(30 * mib, 50 * mib - 512, settings));
  EXPECT_FALSE(serves(30 * mib, 50 * mib, settings));
  EXPECT_TRUE(serves(1 * mib, 500 * mib, {}));
}

}  // namespace
}  // namespace highwater::oracle::published
