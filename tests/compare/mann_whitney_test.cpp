#include "harness/compare/mann_whitney.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

using Values = std::vector<std::int64_t>;

// Expected values: scipy 1.17.1, mannwhitneyu(a, b, alternative="two-sided", method=...).

TEST(MannWhitney, IsExactForSmallSamplesWithoutTies) {
  EXPECT_NEAR(mann_whitney(Values{1, 2, 3, 4, 5}, Values{6, 7, 8, 9, 10}).p, 0.007936507936507936,
              1e-12);
  // The example of scipy's documentation.
  const RankTest test = mann_whitney(Values{19, 22, 16, 29, 24}, Values{20, 11, 17, 12});
  EXPECT_EQ(test.u, 17);
  EXPECT_NEAR(test.p, 0.1111111111111111, 1e-12);
  EXPECT_NEAR(mann_whitney(Values{1, 3, 5, 7, 9, 11, 13, 15}, Values{2, 4, 6, 8, 10, 12, 14, 16}).p,
              0.7209013209013208, 1e-12);
}

TEST(MannWhitney, IsExactWhereOnlyOneSampleIsSmall) {
  EXPECT_NEAR(mann_whitney(Values{12, 15, 18, 24, 88}, Values{3, 9, 11, 13, 14, 16, 20, 21}).p,
              0.17094017094017094, 1e-12);
}

TEST(MannWhitney, CorrectsTheNormalApproximationForTies) {
  EXPECT_NEAR(mann_whitney(Values{1, 2, 2, 3, 4}, Values{2, 3, 5, 5, 6}).p, 0.11049202405566802,
              1e-12);
  EXPECT_NEAR(mann_whitney(Values{10, 10, 11, 12, 13, 13}, Values{11, 13, 14, 14, 15, 16, 17}).p,
              0.02099833194937524, 1e-12);
}

TEST(MannWhitney, ApproximatesLargeSamples) {
  EXPECT_NEAR(mann_whitney(Values{0, 3, 6, 9, 12, 15, 18, 21, 24},
                           Values{7, 10, 13, 16, 19, 22, 25, 28, 31, 34})
                  .p,
              0.055013832353979004, 1e-12);
}

TEST(MannWhitney, FindsNoDifferenceBetweenEqualValues) {
  EXPECT_EQ(mann_whitney(Values{1, 1, 1}, Values{1, 1, 1}).p, 1);
}

TEST(MannWhitney, OfNothingIsAnError) {
  EXPECT_THROW(mann_whitney(Values{}, Values{1}), InternalError);
}

// 2 / C(10, 5) = 2 / 252 and 2 / C(8, 4) = 2 / 70: five a side are the fewest that reach 0.01.
TEST(MannWhitney, FourASideCannotShowADifferenceAndFiveCan) {
  EXPECT_NEAR(smallest_p(5, 5), 2.0 / 252, 1e-12);
  EXPECT_NEAR(smallest_p(4, 4), 2.0 / 70, 1e-12);
}

}  // namespace
}  // namespace highwater
