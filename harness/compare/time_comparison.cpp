#include "harness/compare/time_comparison.hpp"

#include <algorithm>
#include <cstdlib>

#include "harness/compare/mann_whitney.hpp"
#include "harness/core/bytes.hpp"
#include "harness/measure/statistics.hpp"

namespace highwater {
namespace {

using Values = std::vector<std::int64_t>;

const Values* step_times(const RepeatedCell& cell) {
  const auto found = cell.metrics.find("step_time_nanoseconds");
  return found == cell.metrics.end() ? nullptr : &found->second;
}

const Values* step_times(const Repeats& repeats, const std::string& id) {
  const auto found = std::ranges::find(repeats.cells, id, &RepeatedCell::cell);
  return found == repeats.cells.end() ? nullptr : step_times(*found);
}

bool on_one_testbed(const Repeats& before, const Repeats& after, const std::string& id) {
  const std::string device = parse_cell_id(id).device;
  return before.testbeds.at(device).id == after.testbeds.at(device).id;
}

TimeComparison compare(const std::string& id, const Values& before, const Values& after) {
  TimeComparison comparison{
      .cell = id,
      .before = median(before),
      .after = median(after),
      .deviation = std::max(median_absolute_deviation(before), median_absolute_deviation(after)),
      .p = mann_whitney(before, after).p};
  const std::int64_t change = difference(comparison.after, comparison.before);
  const bool noticeable = std::abs(change) / kDeviations > comparison.deviation;
  if (smallest_p(before.size(), after.size()) >= kLargestP) {
    comparison.pace = Pace::too_few_rounds;
  } else if (comparison.p < kLargestP && noticeable) {
    comparison.pace = change > 0 ? Pace::slower : Pace::faster;
  }
  return comparison;
}

ExitCode code_of(Pace pace) {
  switch (pace) {
    case Pace::slower:
      return ExitCode::regression;
    case Pace::too_few_rounds:
    case Pace::other_testbed:
      return ExitCode::incomparable;
    case Pace::same:
    case Pace::faster:
      break;
  }
  return ExitCode::ok;
}

}  // namespace

std::vector<TimeComparison> compare_times(const Repeats& before, const Repeats& after) {
  std::vector<TimeComparison> comparisons;
  for (const RepeatedCell& cell : after.cells) {
    const Values* now = step_times(cell);
    const Values* then = step_times(before, cell.cell);
    if (now == nullptr || then == nullptr) continue;
    comparisons.push_back(compare(cell.cell, *then, *now));
    if (!on_one_testbed(before, after, cell.cell)) comparisons.back().pace = Pace::other_testbed;
  }
  return comparisons;
}

ExitCode time_exit_code(std::span<const TimeComparison> comparisons) {
  if (comparisons.empty()) return ExitCode::missing;
  ExitCode code = ExitCode::ok;
  for (const TimeComparison& comparison : comparisons) code = worse(code, code_of(comparison.pace));
  return code;
}

}  // namespace highwater
