#include "harness/report/compare_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "harness/report/ends_text.hpp"

namespace highwater {
namespace {

const std::string kAbsent = "-";
const std::string kPeak = "peak_allocated_bytes";
constexpr int kSide = 8;  // characters of a bar on each side of its middle

/// Peaks of one cell in both runs.
struct Peaks {
  const Verdict* verdict;
  std::optional<Ends> before;
  std::optional<Ends> after;

  /// Of the low ends; 0 where a run lacks the cell.
  Bytes change() const { return before && after ? difference(after->low, before->low) : 0; }

  std::optional<double> percent() const {
    if (!before || !after || before->low == 0) return std::nullopt;
    return 100.0 * static_cast<double>(change()) / static_cast<double>(before->low);
  }
};

std::vector<Peaks> worst_first(const RunRecord& before, const RunRecord& after,
                               std::span<const Verdict> verdicts) {
  std::vector<Peaks> all;
  for (const Verdict& verdict : verdicts) {
    all.push_back({&verdict, ends_of(find_record(before, verdict.cell), kPeak),
                   ends_of(find_record(after, verdict.cell), kPeak)});
  }
  std::ranges::stable_sort(all, std::greater{}, [](const Peaks& peaks) {
    return std::tuple(peaks.verdict->kind, peaks.percent().value_or(0), peaks.change());
  });
  return all;
}

std::string shown(const std::optional<Ends>& ends) {
  return ends ? ends_text(*ends, &group_digits) : kAbsent;
}

std::string change_text(const Peaks& peaks) {
  if (!peaks.before || !peaks.after) return kAbsent;
  return (peaks.change() > 0 ? "+" : "") + group_digits(peaks.change());
}

std::string percent_text(const Peaks& peaks) {
  return peaks.percent() ? fmt::format("{:+.2f} %", *peaks.percent()) : kAbsent;
}

std::string outcome_text(const Verdict& verdict) {
  const std::string why = explanation(verdict);
  return std::string(verdict_row(verdict.kind).name) + (why.empty() ? "" : ": ") + why;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// From the middle to the right in eighths of a character.
std::string right_half(int eighths) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int rest = eighths % 8;
  return repeated("█", eighths / 8) + std::string(kParts[static_cast<std::size_t>(rest)]) +
         std::string(static_cast<std::size_t>(kSide - eighths / 8 - (rest > 0 ? 1 : 0)), ' ');
}

/// From the middle to the left in halves: there are no eighths that fill from the right.
std::string left_half(int halves) {
  const int rest = halves % 2;
  return std::string(static_cast<std::size_t>(kSide - halves / 2 - rest), ' ') +
         (rest > 0 ? "▐" : "") + repeated("█", halves / 2);
}

/// How many of `parts` a share fills; what is not 0 fills one at least.
int filled(double share, int parts) {
  if (share <= 0) return 0;
  return std::clamp(static_cast<int>(std::lround(share * parts)), 1, parts);
}

void add_bars(Table& table, const std::vector<Peaks>& all) {
  double longest = 0;
  for (const Peaks& peaks : all) longest = std::max(longest, std::abs(peaks.percent().value_or(0)));
  if (longest == 0) return;
  table.columns.insert(table.columns.end() - 1, {"   less │ more"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& row = table.rows[i];
    row.insert(row.end() - 1, change_bar(all[i].percent().value_or(0) / longest));
  }
  table.notes.push_back(fmt::format("A full bar is {:.2f} %.", longest));
}

}  // namespace

std::string change_bar(double share) {
  return left_half(filled(-share, 2 * kSide)) + "│" + right_half(filled(share, 8 * kSide));
}

Table compare_table(const RunRecord& before, const RunRecord& after,
                    std::span<const Verdict> verdicts) {
  Table table{"",
              {{"cell"},
               {"old peak (B)", Align::right},
               {"new peak (B)", Align::right},
               {"change (B)", Align::right},
               {"%", Align::right},
               {"verdict"}},
              {},
              {}};
  const std::vector<Peaks> all = worst_first(before, after, verdicts);
  for (const Peaks& peaks : all) {
    table.rows.push_back({peaks.verdict->cell, shown(peaks.before), shown(peaks.after),
                          change_text(peaks), percent_text(peaks), outcome_text(*peaks.verdict)});
  }
  add_bars(table, all);
  return table;
}

}  // namespace highwater
