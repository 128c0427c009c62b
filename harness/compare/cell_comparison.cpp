#include "harness/compare/cell_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/compare/drift.hpp"
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

/// "1.0 MiB -> 2.0 MiB (+1,048,576 B".
std::string movement(const Metric& metric, std::int64_t before, std::int64_t after) {
  const std::int64_t change = difference(after, before);
  return fmt::format("{} -> {} ({}{}", value_text(metric, before), value_text(metric, after),
                     change > 0 ? "+" : "", exact_text(metric, change));
}

std::string sentence(const MetricLine& line) {
  if (!line.note.empty()) return line.note;
  const Metric& metric = *find_metric(line.metric);
  if (line.baseline && line.value) {
    return fmt::format("{} {}, allowed {})", line.metric,
                       movement(metric, line.baseline->low, line.value->low),
                       exact_text(metric, line.tolerance));
  }
  const auto shown = [&](const auto& ends) {
    return ends ? value_text(metric, ends->low) : "none";
  };
  return fmt::format("{} {} -> {}", line.metric, shown(line.baseline), shown(line.value));
}

std::string warn_of_high_end(const Metric& metric, const MetricLine& line) {
  const Ends& before = *line.baseline;
  const Ends& after = *line.value;
  const bool bounded = before.high || after.high;
  if (!bounded ||
      compare_values(metric, line.tolerance, before.highest(), after.highest()) == unchanged) {
    return {};
  }
  return fmt::format("warning: the high end of {} {})", metric.id,
                     movement(metric, before.highest(), after.highest()));
}

template <typename Value>
const Value* find_in(const std::map<std::string, Value>& values, const Metric& metric) {
  const auto found = values.find(std::string(metric.id));
  return found == values.end() ? nullptr : &found->second;
}

MetricLine compare_metric(const Metric& metric, const BaselineRow* row, const Ends* value) {
  MetricLine line{.metric = std::string(metric.id),
                  .kind = row == nullptr ? new_cell : missing,
                  .baseline = row == nullptr ? std::nullopt : std::optional(row->value),
                  .value = value == nullptr ? std::nullopt : std::optional(*value),
                  .note = "",
                  .warning = ""};
  if (row == nullptr || value == nullptr) return line;
  line.tolerance = row->tolerance;
  line.kind = compare_values(metric, line.tolerance, line.baseline->low, line.value->low);
  line.warning = warn_of_high_end(metric, line);
  return line;
}

std::optional<MetricLine> check_drift(const BaselineRow* row, const Ends* value) {
  if (row == nullptr || value == nullptr || !is_beyond_anchor(*row, value->low)) {
    return std::nullopt;
  }
  return MetricLine{.metric = row->metric,
                    .kind = regressed,
                    .baseline = *row->anchor,
                    .value = *value,
                    .note = beyond_anchor_text(*row, value->low),
                    .warning = "",
                    .beyond_anchor = true};
}

/// An anti-pattern that stopped leaking shows nothing any more.
std::optional<MetricLine> check_designed_leak(std::int64_t leak) {
  if (leak > 0) return std::nullopt;
  return MetricLine{.metric = "leak_bytes",
                    .kind = regressed,
                    .baseline = std::nullopt,
                    .value = leak,
                    .note = "does not leak, though its technique says that it does",
                    .warning = "",
                    .broken = true};
}

std::optional<MetricLine> check_leak(const CellOutcome& outcome) {
  const std::int64_t leak = leaked_bytes(outcome);
  if (leaks_by_design(outcome)) return check_designed_leak(leak);
  if (leak == 0) return std::nullopt;
  return MetricLine{.metric = "leak_bytes",
                    .kind = regressed,
                    .baseline = 0,
                    .value = leak,
                    .note = fmt::format("leaks: {} B more are allocated after the last measured "
                                        "step than after the first",
                                        group_digits(leak)),
                    .warning = "",
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
                                     const AcceptedRows& rows) {
  const auto values = gated_values(record);
  std::vector<MetricLine> lines;
  for (const Metric& metric : metrics()) {
    const BaselineRow* row = find_in(rows, metric);
    const Ends* value = find_in(values, metric);
    if (row == nullptr && value == nullptr) continue;
    lines.push_back(compare_metric(metric, row, value));
    if (auto line = check_drift(row, value)) lines.push_back(std::move(*line));
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
    if (line.beyond_anchor && verdict.remedy != Remedy::repair) verdict.remedy = Remedy::anchor;
    if (line.broken) verdict.remedy = Remedy::repair;
    verdict.reason += (verdict.reason.empty() ? "" : "; ") + sentence(line);
  }
  return verdict;
}

std::map<std::string, Ends> gated_values(const CellRecord& record) {
  std::map<std::string, Ends> values;
  if (record.outcome.kind != OutcomeKind::measured) return values;
  const std::string kind = device_kind(record.cell.device);
  for (const auto& [id, value] : record.outcome.metrics) {
    const Metric* metric = find_metric(id);
    if (metric != nullptr && is_gated(*metric, kind)) values[id] = *ends_of(&record, id);
  }
  return values;
}

}  // namespace highwater
