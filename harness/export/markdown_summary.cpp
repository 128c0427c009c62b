#include "harness/export/markdown_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "harness/core/bytes.hpp"
#include "harness/export/markup.hpp"
#include "harness/report/ends_text.hpp"

namespace highwater {
namespace {

constexpr std::size_t kLongestText = 300;
constexpr std::size_t kRoomForRest = 1024;  // of the folded table without any row
const std::string kPeak = "peak_allocated_bytes";

std::string code(std::string_view text) {
  if (text.empty()) return "";
  return "<code>" + markup_text(shortened(text, kLongestText)) + "</code>";
}

std::string row(const std::vector<std::string>& entries) {
  std::string text = "<tr>";
  for (const std::string& entry : entries) text += "<td>" + entry + "</td>";
  return text + "</tr>\n";
}

std::string heading_row(const std::vector<std::string>& names) {
  std::string text = "<tr>";
  for (const std::string& name : names) text += "<th>" + name + "</th>";
  return text + "</tr>\n";
}

/// As many rows as fit into `room` bytes, and the number of those that do not.
std::string table(const std::vector<std::string>& names, const std::vector<std::string>& rows,
                  std::size_t room) {
  const std::string end = "</table>\n";
  const auto left_out = [](std::size_t count) {
    return fmt::format("<tr><td>and {} more, for which there is no room here</td></tr>\n", count);
  };
  const std::size_t needed = end.size() + left_out(rows.size()).size();
  std::string text = "<table>\n" + heading_row(names);
  std::size_t shown = 0;
  while (shown < rows.size() && text.size() + rows[shown].size() + needed <= room) {
    text += rows[shown++];
  }
  if (shown < rows.size()) text += left_out(rows.size() - shown);
  return text + end;
}

std::string counts(std::span<const Verdict> verdicts) {
  std::map<VerdictKind, std::size_t, std::greater<>> by_kind;
  for (const Verdict& verdict : verdicts) ++by_kind[verdict.kind];
  std::string text = "| verdict | cells | meaning |\n| --- | ---: | --- |\n";
  for (const auto& [kind, count] : by_kind) {
    const VerdictRow& verdict = verdict_row(kind);
    text += fmt::format("| {} | {} | {} |\n", verdict.name, count, verdict.meaning);
  }
  return text;
}

std::optional<Ends> baseline_peak(const Verdict& verdict, const Baselines& baselines) {
  const auto file = baselines.find(verdict.testbed);
  if (file == baselines.end()) return std::nullopt;
  for (const BaselineRow& accepted : file->second.rows) {
    if (accepted.cell == verdict.cell && accepted.metric == kPeak) return accepted.value;
  }
  return std::nullopt;
}

std::string shown(const std::optional<Ends>& ends) {
  return ends ? ends_text(*ends, &format_bytes) : "-";
}

std::string change(const std::optional<Ends>& before, const std::optional<Ends>& after) {
  if (!before || !after) return "-";
  return format_bytes_change(difference(after->low, before->low));
}

std::string moved_row(const JudgedCell& cell, const Baselines& baselines) {
  const auto before = baseline_peak(*cell.verdict, baselines);
  const auto after = ends_of(cell.record, kPeak);
  return row({code(cell.verdict->cell), std::string(verdict_row(cell.verdict->kind).name),
              shown(before), shown(after), change(before, after),
              code(explanation(*cell.verdict))});
}

std::string passed_row(const JudgedCell& cell) {
  return row({code(cell.verdict->cell), std::string(verdict_row(cell.verdict->kind).name),
              shown(ends_of(cell.record, kPeak)), code(explanation(*cell.verdict))});
}

bool needs_a_look(const Verdict& verdict) {
  const ExitCode code = verdict_row(verdict.kind).code;
  return code != ExitCode::ok && code != ExitCode::skipped;
}

/// Rows of the cells that need a look, the worst first, and of the others.
struct Rows {
  std::vector<std::string> moved;
  std::vector<std::string> passed;
};

Rows rows_of(const ExportInput& input) {
  auto cells = judged_cells(input);
  std::ranges::stable_sort(cells, std::greater<>(),
                           [](const JudgedCell& cell) { return cell.verdict->kind; });
  Rows rows;
  for (const JudgedCell& cell : cells) {
    if (needs_a_look(*cell.verdict)) {
      rows.moved.push_back(moved_row(cell, input.baselines));
    } else {
      rows.passed.push_back(passed_row(cell));
    }
  }
  return rows;
}

std::string heading(const RunHeader& header) {
  return "<h3>Training memory: suite " + code(header.suite) + "</h3>\n<p>Measured " +
         code(header.created) +
         ". The peak is the highest allocated bytes of a steady step; before is its baseline.</p>"
         "\n\n";
}

std::string folded(const std::vector<std::string>& rows, std::size_t room) {
  const std::string begin = fmt::format(
      "\n<details>\n<summary>{} unchanged, skipped or refused</summary>\n", rows.size());
  const std::string end = "</details>\n";
  return begin + table({"cell", "verdict", "peak", "why"}, rows, room - begin.size() - end.size()) +
         end;
}

}  // namespace

std::string markdown_summary(const ExportInput& input) {
  const auto [moved, passed] = rows_of(input);
  std::string text = heading(input.run.header) + counts(input.verdicts);
  if (!moved.empty()) {
    text += "\n" + table({"cell", "verdict", "before", "after", "change", "why"}, moved,
                         kMarkdownLimit - text.size() - kRoomForRest);
  }
  if (!passed.empty()) text += folded(passed, kMarkdownLimit - text.size());
  return text;
}

}  // namespace highwater
