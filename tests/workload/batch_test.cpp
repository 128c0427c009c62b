#include "harness/workload/batch.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

Batch samples(std::int64_t count) {
  return {.inputs = {at::arange(count)}, .targets = at::arange(count)};
}

TEST(BatchSplit, GivesLargerPartsFirstWhereItIsUneven) {
  std::vector<std::int64_t> sizes;
  for (const Batch& part : samples(10).split(4)) sizes.push_back(part.size());
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{3, 3, 2, 2}));
}

TEST(BatchSplit, CoversEverySampleOnceInOrder) {
  std::vector<at::Tensor> parts;
  for (const Batch& part : samples(7).split(3)) parts.push_back(part.inputs[0]);
  EXPECT_TRUE(at::equal(at::cat(parts), at::arange(7)));
}

TEST(BatchSplit, NeverGivesMorePartsThanSamples) { EXPECT_EQ(samples(3).split(8).size(), 3U); }

TEST(BatchSplit, CopiesNoMemory) {
  const Batch batch = samples(4);
  EXPECT_EQ(batch.split(2)[0].inputs[0].storage().data(), batch.inputs[0].storage().data());
}

}  // namespace
}  // namespace highwater
