#include "harness/compare/savings.hpp"

#include <fmt/format.h>

namespace highwater {
namespace {

std::string exact_bytes(std::int64_t bytes) {
  return fmt::format("{} ({} B)", format_bytes(bytes), group_digits(bytes));
}

MetricLine check_promise(const Promise& promise, const CellRecord& record, std::int64_t before) {
  MetricLine line{.metric = promise.metric,
                  .kind = VerdictKind::missing,
                  .baseline = before,
                  .value = metric_of(&record, promise.metric),
                  .note = "its promised saving cannot be checked: it has no " + promise.metric,
                  .warning = "",
                  .broken = true};
  if (!line.value) return line;
  const std::int64_t saved = difference(before, line.value->low);
  line.broken = saved < promise.minimum_saving_bytes;
  line.kind = line.broken ? VerdictKind::regressed : VerdictKind::unchanged;
  line.note =
      fmt::format("{} promises to save at least {} of {}, and saved {}", record.cell.technique,
                  exact_bytes(promise.minimum_saving_bytes), promise.metric, exact_bytes(saved));
  return line;
}

}  // namespace

std::vector<MetricLine> check_promises(const CellRecord& record, const RunRecord& run) {
  std::vector<MetricLine> lines;
  const CellRecord* baseline = find_record(run, cell_id(baseline_cell_of(record.cell)));
  if (baseline == nullptr || baseline->outcome.kind != OutcomeKind::measured) return lines;
  for (const Promise& promise : record.outcome.promises) {
    const auto before = metric_of(baseline, promise.metric);
    if (before) lines.push_back(check_promise(promise, record, *before));
  }
  return lines;
}

}  // namespace highwater
