#include "simgpu/device/address_space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace simgpu {
namespace {

constexpr Address base = 0x1000'0000'0000;
constexpr std::uint64_t page = page_bytes;

AddressSpace pages(std::uint64_t count, AddressOrder order, std::uint64_t seed = 0) {
  return AddressSpace(base, count * page, order, seed);
}

/// Page numbers of the next `count` one-page ranges.
std::vector<std::uint64_t> take_pages(AddressSpace& space, int count) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back((space.take(page).value() - base) / page);
  return numbers;
}

using Pages = std::vector<std::uint64_t>;

TEST(AddressSpace, FallsFromTheTop) {
  AddressSpace space = pages(10, AddressOrder::falling);
  EXPECT_EQ(take_pages(space, 3), (Pages{9, 8, 7}));
}

TEST(AddressSpace, RisesFromTheBottom) {
  AddressSpace space = pages(10, AddressOrder::rising);
  EXPECT_EQ(take_pages(space, 3), (Pages{0, 1, 2}));
}

TEST(AddressSpace, RepeatsARandomOrderWithItsSeed) {
  AddressSpace first = pages(1000, AddressOrder::random, 7);
  AddressSpace again = pages(1000, AddressOrder::random, 7);
  AddressSpace other = pages(1000, AddressOrder::random, 8);
  const Pages taken = take_pages(first, 20);
  EXPECT_EQ(taken, take_pages(again, 20));
  EXPECT_NE(taken, take_pages(other, 20));
}

TEST(AddressSpace, FillsEveryPageOnceInRandomOrder) {
  AddressSpace space = pages(50, AddressOrder::random, 3);
  Pages taken = take_pages(space, 50);
  std::ranges::sort(taken);
  for (std::uint64_t number = 0; number < 50; ++number) EXPECT_EQ(taken[number], number);
  EXPECT_FALSE(space.take(page));
}

TEST(AddressSpace, TakesAGivenRangeOnceAndWholly) {
  AddressSpace space = pages(4, AddressOrder::rising);
  EXPECT_TRUE(space.take_at(base + page, 2 * page));
  EXPECT_FALSE(space.take_at(base + 2 * page, page));
  EXPECT_FALSE(space.take_at(base + 3 * page, 2 * page));
  EXPECT_EQ(take_pages(space, 2), (Pages{0, 3}));
}

TEST(AddressSpace, ReusesAFreedRange) {
  AddressSpace space = pages(4, AddressOrder::falling);
  take_pages(space, 4);
  space.give_back(base + 2 * page, page);
  EXPECT_EQ(take_pages(space, 1), (Pages{2}));
}

TEST(AddressSpace, MergesFreedNeighbours) {
  AddressSpace space = pages(3, AddressOrder::rising);
  take_pages(space, 3);
  space.give_back(base, page);
  space.give_back(base + 2 * page, page);
  EXPECT_FALSE(space.take(2 * page));
  space.give_back(base + page, page);
  EXPECT_EQ(space.take(3 * page), base);
}

TEST(AddressSpace, SkipsGapsThatAreTooSmall) {
  AddressSpace space = pages(5, AddressOrder::rising);
  take_pages(space, 2);
  space.give_back(base, page);
  EXPECT_EQ(space.take(2 * page), base + 2 * page);
}

TEST(AddressSpace, GivesNothingBeyondItsEnd) {
  for (const AddressOrder order :
       {AddressOrder::falling, AddressOrder::rising, AddressOrder::random})
    EXPECT_FALSE(pages(3, order).take(4 * page));
}

}  // namespace
}  // namespace simgpu
