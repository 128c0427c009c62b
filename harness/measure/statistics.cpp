#include "harness/measure/statistics.hpp"

#include <algorithm>
#include <cstdlib>

#include "harness/core/error.hpp"

namespace highwater {

std::int64_t median(std::vector<std::int64_t> values) {
  if (values.empty()) throw InternalError("the median of no values was asked for");
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

std::int64_t median_absolute_deviation(const std::vector<std::int64_t>& values) {
  const std::int64_t center = median(values);
  std::vector<std::int64_t> deviations;
  for (const std::int64_t value : values) deviations.push_back(std::abs(value - center));
  return median(std::move(deviations));
}

}  // namespace highwater
