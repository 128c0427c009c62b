#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "harness/record/repeats.hpp"

namespace highwater {

/// A difference by chance below this is called one.
inline constexpr double kLargestP = 0.01;
/// And it must be larger than this many median absolute deviations, of whichever side has the
/// larger one: with enough rounds a rank test finds differences that nobody would notice.
inline constexpr int kDeviations = 2;

enum class Pace { same, slower, faster, too_few_rounds, other_testbed };

/// Step times of one cell in two studies: medians over rounds.
struct TimeComparison {
  std::string cell;
  std::int64_t before = 0;     ///< nanoseconds
  std::int64_t after = 0;      ///< nanoseconds
  std::int64_t deviation = 0;  ///< the larger median absolute deviation of the two
  double p = 1;                ///< of the Mann-Whitney test
  Pace pace = Pace::same;
};

/// Every cell that both studies timed, in the order of `after`. too_few_rounds: not even a complete
/// separation would have p < kLargestP, five rounds a side are the fewest that can.
std::vector<TimeComparison> compare_times(const Repeats& before, const Repeats& after);

/// What a gate on time exits with: regression where a cell is slower, incomparable where one could
/// not be tested, missing where there is none. A faster one asks for nothing, times have no
/// baseline.
ExitCode time_exit_code(std::span<const TimeComparison> comparisons);

}  // namespace highwater
