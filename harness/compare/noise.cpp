#include "harness/compare/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/compare/soundness.hpp"
#include "harness/core/bytes.hpp"
#include "harness/core/error.hpp"
#include "harness/measure/statistics.hpp"

namespace highwater {
namespace {

using namespace literals;
using Values = std::vector<std::int64_t>;

void check_same_study(const RunRecord& first, const RunRecord& other, std::size_t number) {
  if (other.header.suite == first.header.suite && other.header.testbeds == first.header.testbeds) {
    return;
  }
  throw UsageError(
      fmt::format("round {} is not of the suite or the testbeds of round 1; repeats must be of one "
                  "machine and one build, measure them anew",
                  number));
}

bool cannot_run(OutcomeKind kind) {
  return kind == OutcomeKind::skipped || kind == OutcomeKind::refused;
}

std::string failure_of(const CellOutcome& outcome) {
  if (outcome.kind != OutcomeKind::measured) return to_text(outcome.kind) + ": " + outcome.reason;
  return is_steady(outcome) ? "" : "unsteady: its steps did not agree";
}

RepeatedCell& cell_of(Repeats& repeats, const std::string& id) {
  const auto found = std::ranges::find(repeats.cells, id, &RepeatedCell::cell);
  if (found != repeats.cells.end()) return *found;
  return repeats.cells.emplace_back(RepeatedCell{id, {}, {}, {}});
}

void append(Series& series, const Measurement& measurement) {
  for (const auto& [metric, value] : measurement) series[metric].push_back(value);
}

void add_round(Repeats& repeats, const RunRecord& run, std::size_t number) {
  for (const CellRecord& record : run.cells) {
    if (cannot_run(record.outcome.kind)) continue;
    RepeatedCell& cell = cell_of(repeats, cell_id(record.cell));
    if (const std::string failure = failure_of(record.outcome); !failure.empty()) {
      cell.failures.push_back(fmt::format("round {}: {}", number, failure));
      continue;
    }
    append(cell.metrics, record.outcome.metrics);
    append(cell.high, record.outcome.high);
  }
}

std::int64_t granularity(const Metric& metric) {
  if (metric.unit != Unit::bytes) return 1;
  return metric.id == "peak_reserved_bytes" ? 2_MiB : 512;
}

std::int64_t spread_of(const Values& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return difference(high, low);
}

double share(std::int64_t part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values.at(values.size() / 2);
}

/// The cells of a device kind that have a metric, with its values.
struct Repeated {
  const RepeatedCell* cell;
  const Values* values;
};

std::vector<Repeated> cells_with(const Repeats& repeats, const std::string& kind,
                                 const Metric& metric) {
  std::vector<Repeated> found;
  for (const RepeatedCell& cell : repeats.cells) {
    const auto values = cell.metrics.find(std::string(metric.id));
    if (values == cell.metrics.end()) continue;
    if (device_kind(parse_cell_id(cell.cell).device) == kind) {
      found.push_back({&cell, &values->second});
    }
  }
  return found;
}

std::int64_t largest_spread(const Repeated& repeated, const Metric& metric) {
  const auto high = repeated.cell->high.find(std::string(metric.id));
  const std::int64_t low = spread_of(*repeated.values);
  return high == repeated.cell->high.end() ? low : std::max(low, spread_of(high->second));
}

ExactNoise exact_noise(const std::string& kind, const Metric& metric,
                       const std::vector<Repeated>& cells) {
  ExactNoise noise{
      .device_kind = kind, .metric = &metric, .cells = cells.size(), .of_median = {}, .cell = ""};
  for (const Repeated& repeated : cells) {
    const std::int64_t spread = largest_spread(repeated, metric);
    noise.moved += spread > 0 ? 1 : 0;
    if (spread <= noise.spread) continue;
    const std::int64_t center = median(*repeated.values);
    noise.spread = spread;
    noise.of_median = center == 0 ? std::nullopt : std::optional(share(spread, center));
    noise.cell = repeated.cell->cell;
  }
  noise.tolerance = recommended_tolerance(metric, noise.spread);
  return noise;
}

TimeNoise time_noise(const std::string& kind, const Metric& metric,
                     const std::vector<Repeated>& cells) {
  TimeNoise noise{.device_kind = kind, .metric = &metric, .cells = cells.size(), .cell = ""};
  std::vector<double> deviations;
  std::vector<double> drifts;
  for (const auto& [cell, values] : cells) {
    const std::int64_t center = std::max<std::int64_t>(1, median(*values));
    const std::int64_t deviation = median_absolute_deviation(*values);
    deviations.push_back(share(deviation, center));
    drifts.push_back(share(values->back(), std::max<std::int64_t>(1, values->front())) - 1);
    if (!noise.cell.empty() && deviations.back() <= noise.relative) continue;
    noise.cell = cell->cell;
    noise.median = center;
    noise.deviation = deviation;
    noise.relative = deviations.back();
  }
  noise.typical = middle(std::move(deviations));
  noise.drift = middle(std::move(drifts));
  return noise;
}

std::vector<std::string> kinds_of(const Repeats& repeats) {
  std::vector<std::string> kinds;
  for (const RepeatedCell& cell : repeats.cells) {
    const std::string kind = device_kind(parse_cell_id(cell.cell).device);
    if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace

Repeats repeats_of(const std::vector<RunRecord>& rounds) {
  if (rounds.size() < 2) {
    throw UsageError("one finished round says nothing about noise; measure at least two");
  }
  const RunHeader& header = rounds.front().header;
  Repeats repeats{.suite = header.suite,
                  .created = header.created,
                  .rounds = static_cast<int>(rounds.size()),
                  .testbeds = header.testbeds,
                  .versions = header.versions,
                  .cells = {}};
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    check_same_study(rounds.front(), rounds[i], i + 1);
    add_round(repeats, rounds[i], i + 1);
  }
  return repeats;
}

Repeats load_repeats(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  if (!std::filesystem::is_directory(path)) return read_repeats(path);
  const Rounds rounds = read_rounds(path);
  warnings.insert(warnings.end(), rounds.warnings.begin(), rounds.warnings.end());
  return repeats_of(rounds.runs);
}

NoiseStudy study_noise(const Repeats& repeats) {
  NoiseStudy study;
  for (const std::string& kind : kinds_of(repeats)) {
    for (const Metric& metric : metrics()) {
      const auto cells = cells_with(repeats, kind, metric);
      if (cells.empty()) continue;
      if (metric.kind == MetricKind::exact) {
        study.exact.push_back(exact_noise(kind, metric, cells));
      } else {
        study.noisy.push_back(time_noise(kind, metric, cells));
      }
    }
  }
  return study;
}

std::int64_t recommended_tolerance(const Metric& metric, std::int64_t spread) {
  // Numbers from files may be as large as they like.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  const std::int64_t step = granularity(metric);
  return (2 * std::min(spread, kMost) + step - 1) / step * step;
}

}  // namespace highwater
