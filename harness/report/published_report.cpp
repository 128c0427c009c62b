#include "harness/report/published_report.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/measure/metric.hpp"
#include "harness/report/ends_text.hpp"

namespace highwater {
namespace {

const std::string kAbsent = "-";

struct Term {
  std::int64_t sign;
  std::string metric;
};

Term term_of(const std::string& text) {
  const bool minus = text.starts_with('-');
  Term term{minus ? -1 : 1, text.substr(minus ? 1 : 0)};
  if (find_metric(term.metric) == nullptr) {
    throw UsageError(unknown_name("metric", term.metric, metric_ids()));
  }
  return term;
}

std::optional<Ends> measured(const CellRecord& record, const PublishedNumber& number) {
  Ends sum(number.outside, number.outside);
  for (const std::string& text : number.metrics) {
    const Term term = term_of(text);
    const auto value = ends_of(&record, term.metric);
    if (!value) return std::nullopt;
    sum.low += term.sign * value->low;
    *sum.high += term.sign * value->highest();
  }
  if (sum.high == sum.low) sum.high.reset();
  return sum;
}

/// A peak is predicted as everything that closed forms know to be alive at the end of backward or
/// of forward, whichever is more; other metrics as themselves.
std::optional<Bytes> predicted(const CellRecord& record, const PublishedNumber& number) {
  const Prediction& known = record.outcome.prediction;
  const auto at = [&](const std::string& metric) { return known.at(metric); };
  Bytes sum = number.outside;
  for (const std::string& text : number.metrics) {
    const Term term = term_of(text);
    if (!term.metric.starts_with("peak_")) {
      if (!known.contains(term.metric)) return std::nullopt;
      sum += term.sign * at(term.metric);
      continue;
    }
    for (const char* part : {"parameters_bytes", "gradients_bytes", "optimizer_state_bytes",
                             "activations_after_forward_bytes"}) {
      if (!known.contains(part)) return std::nullopt;
      sum += term.sign * at(part);
    }
  }
  return sum;
}

std::string gap_text(const std::optional<Ends>& value, Bytes published) {
  if (!value) return kAbsent;
  const auto percent = [&](std::int64_t bytes) {
    return 100.0 * static_cast<double>(bytes - published) / static_cast<double>(published);
  };
  if (!value->high) return fmt::format("{:+.1f} %", percent(value->low));
  return fmt::format("{:+.1f} to {:+.1f} %", percent(std::min(value->low, *value->high)),
                     percent(std::max(value->low, *value->high)));
}

std::string metrics_text(const PublishedNumber& number) {
  std::string text;
  for (const std::string& metric : number.metrics) {
    const Term term = term_of(metric);
    text += fmt::format("{}{}", text.empty() ? "" : term.sign < 0 ? " - " : " + ", term.metric);
  }
  if (number.outside > 0) text += " + context of " + format_bytes(number.outside);
  return text;
}

std::vector<std::string> row_of(const RunRecord& run, const PublishedNumber& number) {
  const CellRecord* record = find_record(run, number.cell);
  const bool known = record != nullptr && record->outcome.kind == OutcomeKind::measured;
  const auto value = known ? measured(*record, number) : std::nullopt;
  const auto form = known ? predicted(*record, number) : std::nullopt;
  const std::string why_not = record == nullptr ? "not in this run"
                              : known
                                  ? kAbsent
                                  : to_text(record->outcome.kind) + ": " + record->outcome.reason;
  return {number.setting,
          number.printed,
          form ? format_bytes(*form) : kAbsent,
          value ? ends_text(*value, &format_bytes) : why_not,
          gap_text(value, number.bytes),
          metrics_text(number),
          number.differs,
          number.cell,
          number.source};
}

}  // namespace

Table published_table(const RunRecord& run, std::span<const PublishedNumber> numbers) {
  Table table{"",
              {{"setting"},
               {"published", Align::right},
               {"predicted", Align::right},
               {"simulated", Align::right},
               {"gap", Align::right},
               {"what is counted"},
               {"what differs"},
               {"cell"},
               {"source"}},
              {}};
  for (const PublishedNumber& number : numbers) table.rows.push_back(row_of(run, number));
  return table;
}

}  // namespace highwater
