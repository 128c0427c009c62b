#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/metric.hpp"
#include "harness/record/record.hpp"
#include "harness/record/repeats.hpp"

namespace highwater {

/// Rounds of one study, put side by side. A cell fails in a round where it yielded no numbers that
/// anyone should be held to: it ran out of memory, failed, or its steps did not agree.
/// @throws UsageError where there are fewer than two rounds (one says nothing about noise), or they
/// are of different suites or testbeds.
Repeats repeats_of(const std::vector<RunRecord>& rounds);

/// Reads a noise folder (its warnings into `warnings`) or a noise.jsonl.
/// @throws UsageError as read_rounds, read_repeats and repeats_of.
Repeats load_repeats(const std::filesystem::path& path, std::vector<std::string>& warnings);

/// How far an exact metric moved between repeats of one cell, over all cells of a device kind.
struct ExactNoise {
  std::string device_kind;
  const Metric* metric;
  std::size_t cells = 0;            ///< that have the metric
  std::size_t moved = 0;            ///< of them, those whose rounds did not all agree
  std::int64_t spread = 0;          ///< largest max - min of a cell
  std::optional<double> of_median;  ///< that spread by the cell's median; absent where that is 0
  std::string cell;                 ///< where it was seen; empty where nothing moved
  std::int64_t tolerance = 0;       ///< recommended_tolerance(spread)
};

/// How far a noisy metric moves. The cell named is the one with the largest relative deviation.
struct TimeNoise {
  std::string device_kind;
  const Metric* metric;
  std::size_t cells = 0;
  double typical = 0;  ///< median over cells of MAD / median
  double drift = 0;    ///< median over cells of last round / first round, minus 1
  std::string cell;
  std::int64_t median = 0;
  std::int64_t deviation = 0;  ///< median absolute deviation of the rounds
  double relative = 0;         ///< deviation / median
};

struct NoiseStudy {
  std::vector<ExactNoise> exact;
  std::vector<TimeNoise> noisy;
};

/// Device kinds in the order of cells, metrics in that of tables. A bounded metric moved where
/// either end did.
NoiseStudy study_noise(const Repeats& repeats);

/// 0 where nothing moved; else twice the spread (a few repeats see less than the whole range),
/// rounded up to the least by which c10's caching allocator can move the number: its block of 512 B
/// (kMinBlockSize), for reserved bytes its smallest segment of 2 MiB (kSmallBuffer), 1 for a count.
std::int64_t recommended_tolerance(const Metric& metric, std::int64_t spread);

}  // namespace highwater
