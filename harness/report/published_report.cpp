#include "harness/report/published_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
std::optional<Ends> predicted(const CellRecord& record, const PublishedNumber& number) {
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
  return Ends(sum);
}

/// Bytes, or of a factor the number itself.
struct Span {
  double low = 0;
  double high = 0;
};

std::optional<Span> span_of(const std::optional<Ends>& ends) {
  if (!ends) return std::nullopt;
  return Span{static_cast<double>(ends->low), static_cast<double>(ends->highest())};
}

/// How much less `mine` is than `other`, as the number says it. The ends of two cells go together:
/// each is what all sizes make that only a real device knows, once the smallest and once the
/// largest.
Span less(const Span& mine, const Span& other, const PublishedNumber& number) {
  if (number.factor > 0) return {other.low / mine.low, other.high / mine.high};
  return {other.low - mine.low, other.high - mine.high};
}

Span sorted(const Span& span) {
  return {std::min(span.low, span.high), std::max(span.low, span.high)};
}

using Reading = std::optional<Ends> (*)(const CellRecord&, const PublishedNumber&);

const CellRecord* measured_record(const RunRecord& run, const std::string& cell) {
  const CellRecord* record = find_record(run, cell);
  return record && record->outcome.kind == OutcomeKind::measured ? record : nullptr;
}

std::optional<Span> read(const RunRecord& run, const PublishedNumber& number, Reading reading) {
  const CellRecord* record = measured_record(run, number.cell);
  const auto mine = record ? span_of(reading(*record, number)) : std::nullopt;
  if (!mine) return std::nullopt;
  if (number.against.empty()) return sorted(*mine);
  record = measured_record(run, number.against);
  const auto other = record ? span_of(reading(*record, number)) : std::nullopt;
  return other ? std::optional(sorted(less(*mine, *other, number))) : std::nullopt;
}

std::string span_text(const Span& span, const PublishedNumber& number) {
  if (number.factor <= 0) {
    return ends_text({std::llround(span.low), std::llround(span.high)}, &format_bytes);
  }
  const std::string low = fmt::format("{:.1f} x", span.low);
  const std::string high = fmt::format("{:.1f} x", span.high);
  return low == high ? low : low + " to " + high;
}

std::string gap_text(const Span& span, const PublishedNumber& number) {
  const double published = number.factor > 0 ? number.factor : static_cast<double>(number.bytes);
  const auto percent = [&](double value) {
    return fmt::format("{:+.1f}", 100.0 * (value - published) / published);
  };
  if (span.low == span.high) return percent(span.low) + " %";
  return percent(span.low) + " to " + percent(span.high) + " %";
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

std::string why_absent(const RunRecord& run, const std::string& cell) {
  const CellRecord* record = find_record(run, cell);
  if (record == nullptr) return "not in this run";
  const CellOutcome& outcome = record->outcome;
  if (outcome.kind == OutcomeKind::measured) return kAbsent;
  return to_text(outcome.kind) + ": " + outcome.reason;
}

std::string why_absent(const RunRecord& run, const PublishedNumber& number) {
  const bool second = measured_record(run, number.cell) && !number.against.empty();
  return why_absent(run, second ? number.against : number.cell);
}

std::string cells_text(const PublishedNumber& number) {
  return number.against.empty() ? number.cell : number.cell + " against " + number.against;
}

std::vector<std::string> row_of(const RunRecord& run, const PublishedNumber& number) {
  const auto value = read(run, number, &measured);
  const auto form = read(run, number, &predicted);
  return {number.setting,
          number.printed,
          form ? span_text(*form, number) : kAbsent,
          value ? span_text(*value, number) : why_absent(run, number),
          value ? gap_text(*value, number) : kAbsent,
          metrics_text(number),
          number.differs,
          cells_text(number),
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
