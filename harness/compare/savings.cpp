#include "harness/compare/savings.hpp"

#include <fmt/format.h>

namespace highwater {
namespace {

std::optional<std::int64_t> value_of(const CellRecord* record, const std::string& metric) {
  if (record == nullptr || record->outcome.kind != OutcomeKind::measured) return std::nullopt;
  const auto found = record->outcome.metrics.find(metric);
  if (found == record->outcome.metrics.end()) return std::nullopt;
  return found->second;
}

std::string exact_bytes(std::int64_t bytes) {
  return fmt::format("{} ({} B)", format_bytes(bytes), group_digits(bytes));
}

}  // namespace

Cell baseline_cell_of(const Cell& cell) {
  Cell baseline = cell;
  baseline.technique = "baseline";
  return baseline;
}

std::optional<MetricLine> check_promise(const CellRecord& record, const RunRecord& run) {
  const auto& promise = record.outcome.promise;
  if (!promise) return std::nullopt;
  const auto before =
      value_of(find_record(run, cell_id(baseline_cell_of(record.cell))), promise->metric);
  if (!before) return std::nullopt;
  MetricLine line{.metric = promise->metric,
                  .kind = VerdictKind::missing,
                  .baseline = before,
                  .value = value_of(&record, promise->metric),
                  .note = "its promised saving cannot be checked: it has no " + promise->metric};
  if (!line.value) return line;
  const std::int64_t saved = *line.baseline - *line.value;
  const bool kept = saved >= promise->minimum_saving_bytes;
  line.kind = kept ? VerdictKind::unchanged : VerdictKind::regressed;
  line.note =
      fmt::format("{} promises to save at least {} of {}, and saved {}", record.cell.technique,
                  exact_bytes(promise->minimum_saving_bytes), promise->metric, exact_bytes(saved));
  return line;
}

}  // namespace highwater
