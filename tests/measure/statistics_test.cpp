#include "harness/measure/statistics.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

TEST(Median, TakesTheMiddleOfAnOddNumberOfValues) { EXPECT_EQ(median({9, 1, 5}), 5); }

TEST(Median, TakesTheMeanOfTheMiddleTwo) { EXPECT_EQ(median({1, 2, 4, 100}), 3); }

TEST(Median, OfNothingIsAnError) { EXPECT_THROW(median({}), InternalError); }

TEST(MedianAbsoluteDeviation, IgnoresOneOutlier) {
  EXPECT_EQ(median_absolute_deviation({10, 11, 12, 13, 1000}), 1);
}

}  // namespace
}  // namespace highwater
