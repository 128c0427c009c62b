#include "harness/compare/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

constexpr std::size_t kMostForExact = 8;

double pairs_won(std::span<const std::int64_t> first, std::span<const std::int64_t> second) {
  double won = 0;
  for (const std::int64_t a : first) {
    for (const std::int64_t b : second) won += a > b ? 1 : a == b ? 0.5 : 0;
  }
  return won;
}

/// How often each value stands in both samples together.
std::vector<double> tie_sizes(std::span<const std::int64_t> first,
                              std::span<const std::int64_t> second) {
  std::map<std::int64_t, double> counts;
  for (const std::int64_t value : first) ++counts[value];
  for (const std::int64_t value : second) ++counts[value];
  std::vector<double> sizes;
  for (const auto& [value, count] : counts) sizes.push_back(count);
  return sizes;
}

/// In how many orders of m and n values the first sample wins u pairs, for every u: the
/// coefficients of the Gaussian binomial, the product of (1 - q^(n+i)) / (1 - q^i) for i = 1..m.
std::vector<double> orders_by_u(std::size_t m, std::size_t n) {
  std::vector<double> orders(m * n + 1);
  orders[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t u = orders.size(); u-- > n + i;) orders[u] -= orders[u - n - i];
    for (std::size_t u = i; u < orders.size(); ++u) orders[u] += orders[u - i];
  }
  return orders;
}

double exact_p(double u, std::size_t m, std::size_t n) {
  const auto orders = orders_by_u(m, n);
  const auto extreme = static_cast<std::size_t>(std::min(u, static_cast<double>(m * n) - u));
  const auto end = orders.begin() + static_cast<std::ptrdiff_t>(extreme) + 1;
  const double all = std::accumulate(orders.begin(), orders.end(), 0.0);
  return std::min(1.0, 2 * std::accumulate(orders.begin(), end, 0.0) / all);
}

double normal_p(double u, double m, double n, const std::vector<double>& ties) {
  const double all = m + n;
  double tied = 0;
  for (const double t : ties) tied += t * t * t - t;
  const double variance = m * n / 12 * (all + 1 - tied / (all * (all - 1)));
  if (variance <= 0) return 1;
  const double distance = std::abs(u - m * n / 2) - 0.5;
  return std::min(1.0, std::erfc(distance / std::sqrt(2 * variance)));
}

}  // namespace

RankTest mann_whitney(std::span<const std::int64_t> first, std::span<const std::int64_t> second) {
  if (first.empty() || second.empty()) {
    throw InternalError("a rank test of an empty sample was asked for");
  }
  const double u = pairs_won(first, second);
  const auto ties = tie_sizes(first, second);
  const bool has_ties = ties.size() < first.size() + second.size();
  if (!has_ties && std::min(first.size(), second.size()) <= kMostForExact) {
    return {u, exact_p(u, first.size(), second.size())};
  }
  return {u,
          normal_p(u, static_cast<double>(first.size()), static_cast<double>(second.size()), ties)};
}

double smallest_p(std::size_t m, std::size_t n) {
  double orders = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    orders *= static_cast<double>(n + i) / static_cast<double>(i);
  }
  return std::min(1.0, 2 / orders);
}

}  // namespace highwater
