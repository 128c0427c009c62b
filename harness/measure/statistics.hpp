#pragma once

#include <cstdint>
#include <vector>

namespace highwater {

/// Middle value; the mean of the middle two, rounded down, where their number is even.
/// @throws InternalError on an empty list.
std::int64_t median(std::vector<std::int64_t> values);

/// Median of |value - median|.
std::int64_t median_absolute_deviation(const std::vector<std::int64_t>& values);

}  // namespace highwater
