#pragma once

#include <cstdint>
#include <span>

namespace highwater {

struct RankTest {
  double u;  ///< pairs in which the first sample's value is the larger one, ties counted half
  double p;  ///< two-sided; 1 where all values are equal
};

/// Mann and Whitney's test of whether two samples come from one distribution (Annals of
/// Mathematical Statistics 18, 1947). Exact where one sample has at most 8 values and no value
/// stands twice; else the normal approximation with corrections for ties and continuity. Both are
/// those of scipy.stats.mannwhitneyu, whose method "auto" chooses in the same way.
/// @throws InternalError where a sample is empty.
RankTest mann_whitney(std::span<const std::int64_t> first, std::span<const std::int64_t> second);

/// The smallest p that samples of these sizes can have in the exact test, 2 / C(m + n, m): where it
/// is above a threshold, no difference can ever pass.
double smallest_p(std::size_t m, std::size_t n);

}  // namespace highwater
