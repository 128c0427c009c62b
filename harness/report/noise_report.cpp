#include "harness/report/noise_report.hpp"

#include <fmt/format.h>

#include "harness/core/bytes.hpp"

namespace highwater {
namespace {

const std::string kAbsent = "-";

std::string amount(const Metric& metric, std::int64_t value) {
  return group_digits(value) + (metric.unit == Unit::bytes ? " B" : "");
}

std::string milliseconds(std::int64_t nanoseconds) {
  return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

// Three digits: a block of 2 MiB is 0.005 % of 40 GiB.
std::string fine_percent(double share) { return fmt::format("{:.3f} %", 100 * share); }
std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }
std::string change(double share) { return fmt::format("{:+.2f} %", 100 * share); }

std::vector<std::string> row_of(const ExactNoise& noise) {
  const Metric& metric = *noise.metric;
  return {noise.device_kind,
          std::string(metric.id),
          std::to_string(noise.cells),
          std::to_string(noise.moved),
          amount(metric, noise.spread),
          noise.of_median ? fine_percent(*noise.of_median) : kAbsent,
          noise.cell.empty() ? kAbsent : noise.cell,
          amount(metric, noise.tolerance)};
}

std::vector<std::string> row_of(const TimeNoise& noise) {
  return {noise.device_kind,          std::string(noise.metric->id), std::to_string(noise.cells),
          percent(noise.typical),     change(noise.drift),           percent(noise.relative),
          milliseconds(noise.median), milliseconds(noise.deviation), noise.cell};
}

Table exact_table(const Repeats& repeats, const std::vector<ExactNoise>& rows) {
  Table table{.title = fmt::format("Bytes and counts over {} rounds of suite {}", repeats.rounds,
                                   repeats.suite),
              .columns = {{"device"},
                          {"metric"},
                          {"cells", Align::right},
                          {"moved", Align::right},
                          {"largest spread", Align::right},
                          {"of its median", Align::right},
                          {"seen in"},
                          {"tolerance", Align::right}},
              .rows = {},
              .notes = {}};
  for (const ExactNoise& noise : rows) table.rows.push_back(row_of(noise));
  return table;
}

Table noisy_table(const Repeats& repeats, const std::vector<TimeNoise>& rows) {
  Table table{
      .title = fmt::format("Times over {} rounds of suite {}", repeats.rounds, repeats.suite),
      .columns = {{"device"},
                  {"metric"},
                  {"cells", Align::right},
                  {"typical MAD", Align::right},
                  {"last round vs first", Align::right},
                  {"largest MAD", Align::right},
                  {"its median", Align::right},
                  {"its MAD", Align::right},
                  {"seen in"}},
      .rows = {},
      .notes = {}};
  for (const TimeNoise& noise : rows) table.rows.push_back(row_of(noise));
  return table;
}

std::vector<std::string> failures_of(const Repeats& repeats) {
  std::vector<std::string> sentences;
  for (const RepeatedCell& cell : repeats.cells) {
    for (const std::string& failure : cell.failures)
      sentences.push_back(cell.cell + ", " + failure);
  }
  return sentences;
}

std::string pace_text(const TimeComparison& comparison) {
  switch (comparison.pace) {
    case Pace::same:
      return "no difference shown";
    case Pace::slower:
      return fmt::format("slower (p = {:.4f})", comparison.p);
    case Pace::faster:
      return fmt::format("faster (p = {:.4f})", comparison.p);
    case Pace::too_few_rounds:
      return "too few rounds to tell; measure 5 or more";
    case Pace::other_testbed:
      break;
  }
  return "incomparable: another testbed";
}

std::vector<std::string> row_of(const TimeComparison& comparison) {
  const double before = static_cast<double>(std::max<std::int64_t>(1, comparison.before));
  const auto moved = static_cast<double>(difference(comparison.after, comparison.before));
  return {
      comparison.cell,        milliseconds(comparison.before),    milliseconds(comparison.after),
      change(moved / before), milliseconds(comparison.deviation), pace_text(comparison)};
}

}  // namespace

std::vector<Table> noise_tables(const Repeats& repeats) {
  const NoiseStudy study = study_noise(repeats);
  std::vector<Table> tables;
  if (!study.exact.empty()) tables.push_back(exact_table(repeats, study.exact));
  if (!study.noisy.empty()) tables.push_back(noisy_table(repeats, study.noisy));
  if (tables.empty()) {
    tables.push_back({.title = "", .columns = {}, .rows = {}, .notes = {"No cell was measured."}});
  }
  for (std::string& failure : failures_of(repeats)) {
    tables.back().notes.push_back(std::move(failure));
  }
  return tables;
}

Table time_table(std::span<const TimeComparison> comparisons) {
  Table table{.title = "Step times, medians over rounds",
              .columns = {{"cell"},
                          {"before", Align::right},
                          {"after", Align::right},
                          {"change", Align::right},
                          {"MAD", Align::right},
                          {"verdict"}},
              .rows = {},
              .notes = {}};
  for (const TimeComparison& comparison : comparisons) table.rows.push_back(row_of(comparison));
  if (comparisons.empty()) table.notes.emplace_back("No cell was timed in both studies.");
  return table;
}

}  // namespace highwater
