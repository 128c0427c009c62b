#include "simgpu/device/pool_chunks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace simgpu {
namespace {

using Chunks = std::vector<PoolChunks::Chunk>;

constexpr PoolChunks::Chunk low{1000, 100};
constexpr PoolChunks::Chunk high{1100, 200};  // follows `low` without a gap

TEST(PoolChunks, HoldsNothingAtFirst) {
  PoolChunks chunks;
  EXPECT_EQ(chunks.take(1), std::nullopt);
  EXPECT_EQ(chunks.reserved_bytes(), 0u);
}

TEST(PoolChunks, CountsWhatItHoldsAndWhatIsUsed) {
  PoolChunks chunks;
  chunks.add(low);
  chunks.add(high);
  const Address piece = chunks.take(30).value();
  EXPECT_EQ(chunks.reserved_bytes(), 300u);
  EXPECT_EQ(chunks.used_bytes(), 30u);
  chunks.give_back(piece, 30);
  EXPECT_EQ(chunks.reserved_bytes(), 300u);
  EXPECT_EQ(chunks.used_bytes(), 0u);
}

TEST(PoolChunks, TakesTheSmallestRangeThatFits) {
  PoolChunks chunks;
  chunks.add(high);
  chunks.add(low);
  EXPECT_EQ(chunks.take(90), low.address);
  EXPECT_EQ(chunks.take(20), high.address);
  EXPECT_EQ(chunks.take(10), low.address + 90);
}

TEST(PoolChunks, MergesFreedNeighbours) {
  PoolChunks chunks;
  chunks.add(low);
  Address pieces[4];
  for (Address& piece : pieces) piece = chunks.take(25).value();
  for (const int index : {0, 2, 1, 3}) chunks.give_back(pieces[index], 25);
  EXPECT_EQ(chunks.take(100), low.address);
}

TEST(PoolChunks, MergesNothingAcrossChunks) {
  PoolChunks chunks;
  chunks.add(low);
  chunks.add(high);
  const Address last_of_low = chunks.take(100).value();
  const Address first_of_high = chunks.take(200).value();
  chunks.give_back(first_of_high, 200);
  chunks.give_back(last_of_low, 100);
  EXPECT_EQ(chunks.take(201), std::nullopt);
  EXPECT_EQ(chunks.remove_unused(0), (Chunks{high, low}));
}

TEST(PoolChunks, RemovesWholeUnusedChunksDownToWhatIsKept) {
  PoolChunks chunks;
  chunks.add(low);
  chunks.add(high);
  EXPECT_EQ(chunks.remove_unused(300), Chunks{});
  EXPECT_EQ(chunks.remove_unused(299), Chunks{high});
  EXPECT_EQ(chunks.reserved_bytes(), 100u);
  const Address first = chunks.take(1).value();
  const Address second = chunks.take(1).value();
  chunks.give_back(first, 1);
  EXPECT_EQ(chunks.remove_unused(0), Chunks{});
  chunks.give_back(second, 1);
  EXPECT_EQ(chunks.remove_unused(0), Chunks{low});
  EXPECT_EQ(chunks.take(1), std::nullopt);
}

}  // namespace
}  // namespace simgpu
