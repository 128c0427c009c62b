#include "harness/compare/cell_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/compare/savings.hpp"
#include "harness/compare/soundness.hpp"

namespace highwater {
namespace {

using enum VerdictKind;

std::string value_text(const Metric& metric, std::int64_t value) {
  return metric.unit == Unit::bytes ? format_bytes(value) : group_digits(value);
}

std::string exact_text(const Metric& metric, std::int64_t value) {
  return group_digits(value) + (metric.unit == Unit::bytes ? " B" : "");
}

std::string sentence(const MetricLine& line) {
  if (!line.note.empty()) return line.note;
  const Metric& metric = *find_metric(line.metric);
  const auto shown = [&](const auto& value) { return value ? value_text(metric, *value) : "none"; };
  std::string text =
      fmt::format("{} {} -> {}", line.metric, shown(line.baseline), shown(line.value));
  if (line.baseline && line.value) {
    const std::int64_t change = difference(*line.value, *line.baseline);
    text += fmt::format(" ({}{}, allowed {})", change > 0 ? "+" : "", exact_text(metric, change),
                        exact_text(metric, line.tolerance));
  }
  return text;
}

MetricLine compare_metric(const Metric& metric, const std::string& kind_of_device,
                          const AcceptedValues& rows, const AcceptedValues& values) {
  const auto found = [&](const AcceptedValues& in) {
    const auto row = in.find(std::string(metric.id));
    return row == in.end() ? std::optional<std::int64_t>() : row->second;
  };
  MetricLine line{.metric = std::string(metric.id),
                  .kind = missing,
                  .baseline = found(rows),
                  .value = found(values),
                  .note = ""};
  if (!line.baseline) line.kind = new_cell;
  if (!line.baseline || !line.value) return line;
  line.tolerance = tolerance(metric, kind_of_device, *line.baseline);
  line.kind = compare_values(metric, line.tolerance, *line.baseline, *line.value);
  return line;
}

std::optional<MetricLine> check_leak(const CellOutcome& outcome) {
  const std::int64_t leak = leaked_bytes(outcome);
  if (leak == 0) return std::nullopt;
  return MetricLine{.metric = "leak_bytes",
                    .kind = regressed,
                    .baseline = 0,
                    .value = leak,
                    .note = fmt::format("leaks: {} B more are allocated after the last measured "
                                        "step than after the first",
                                        group_digits(leak)),
                    .broken = true};
}

}  // namespace

VerdictKind compare_values(const Metric& metric, std::int64_t tolerance, std::int64_t baseline,
                           std::int64_t value) {
  const std::int64_t distance = difference(std::max(value, baseline), std::min(value, baseline));
  if (distance <= tolerance) return unchanged;
  if (metric.kind == MetricKind::noisy) return ambiguous;
  return value > baseline ? regressed : improved;
}

std::vector<MetricLine> compare_cell(const CellRecord& record, const RunRecord& run,
                                     const AcceptedValues& rows) {
  const std::string kind = device_kind(record.cell.device);
  const AcceptedValues values = gated_values(record);
  std::vector<MetricLine> lines;
  for (const Metric& metric : metrics()) {
    const std::string id(metric.id);
    if (rows.contains(id) || values.contains(id)) {
      lines.push_back(compare_metric(metric, kind, rows, values));
    }
  }
  if (auto line = check_leak(record.outcome)) lines.push_back(std::move(*line));
  for (MetricLine& line : check_promises(record, run)) lines.push_back(std::move(line));
  return lines;
}

Verdict conclude(std::string cell, std::vector<MetricLine> lines) {
  Verdict verdict{std::move(cell), unchanged, "", std::move(lines)};
  for (const MetricLine& line : verdict.lines) verdict.kind = std::max(verdict.kind, line.kind);
  if (verdict.kind == unchanged) return verdict;
  verdict.remedy = verdict.kind == ambiguous ? Remedy::none : Remedy::accept;
  for (const MetricLine& line : verdict.lines) {
    if (line.kind != verdict.kind) continue;
    if (line.broken) verdict.remedy = Remedy::repair;
    verdict.reason += (verdict.reason.empty() ? "" : "; ") + sentence(line);
  }
  return verdict;
}

AcceptedValues gated_values(const CellRecord& record) {
  AcceptedValues values;
  if (record.outcome.kind != OutcomeKind::measured) return values;
  const std::string kind = device_kind(record.cell.device);
  for (const auto& [id, value] : record.outcome.metrics) {
    const Metric* metric = find_metric(id);
    if (metric != nullptr && is_gated(*metric, kind)) values[id] = value;
  }
  return values;
}

}  // namespace highwater
