#include "harness/report/row_verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace highwater {
namespace {

std::vector<std::string> names_with(const RowVerdict& verdict,
                                    const std::vector<NamedVerdict>& rows) {
  std::vector<std::string> names;
  for (const NamedVerdict& row : rows) {
    if (row.verdict == verdict) names.push_back(row.name);
  }
  return names;
}

bool is_shared(const RowVerdict& verdict, const std::vector<NamedVerdict>& rows) {
  return !verdict.why.empty() && names_with(verdict, rows).size() > 1;
}

}  // namespace

RowVerdict row_verdict(const CellRecord& record, std::span<const Verdict> verdicts) {
  const CellOutcome& outcome = record.outcome;
  if (outcome.kind != OutcomeKind::measured) return {to_text(outcome.kind), outcome.reason};
  const auto found = std::ranges::find(verdicts, cell_id(record.cell), &Verdict::cell);
  if (found == verdicts.end()) return {"-", ""};
  return {std::string(verdict_row(found->kind).name), explanation(*found)};
}

bool is_left_out(const RowVerdict& verdict) {
  return verdict.word == to_text(OutcomeKind::skipped);
}

std::vector<std::string> shared_sentences(const std::vector<NamedVerdict>& rows) {
  std::vector<RowVerdict> told;
  std::vector<std::string> sentences;
  for (const NamedVerdict& row : rows) {
    const bool left_out = is_left_out(row.verdict);
    const bool tells = left_out || is_shared(row.verdict, rows);
    if (!tells || std::ranges::find(told, row.verdict) != told.end()) continue;
    told.push_back(row.verdict);
    const auto names = names_with(row.verdict, rows);
    sentences.push_back(left_out
                            ? fmt::format("{} ({})", row.verdict.text(), fmt::join(names, ", "))
                            : fmt::format("{} ({} rows)", row.verdict.text(), names.size()));
  }
  return sentences;
}

std::string shown_verdict(const RowVerdict& verdict, const std::vector<NamedVerdict>& rows) {
  return is_shared(verdict, rows) ? verdict.word : verdict.text();
}

}  // namespace highwater
