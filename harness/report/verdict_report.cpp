#include "harness/report/verdict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace highwater {
namespace {

const std::string kAbsent = "-";

std::string shown(const std::optional<std::int64_t>& value) {
  return value ? group_digits(*value) : kAbsent;
}

std::string change_text(const std::optional<std::int64_t>& before,
                        const std::optional<std::int64_t>& after) {
  if (!before || !after) return kAbsent;
  return (*after > *before ? "+" : "") + group_digits(*after - *before);
}

std::string percent_text(const std::optional<std::int64_t>& before,
                         const std::optional<std::int64_t>& after) {
  if (!before || !after || *before == 0) return kAbsent;
  return fmt::format("{:+.2f} %",
                     100.0 * static_cast<double>(*after - *before) / static_cast<double>(*before));
}

std::optional<std::int64_t> peak_of(const CellRecord* record) {
  if (record == nullptr) return std::nullopt;
  const auto found = record->outcome.metrics.find("peak_allocated_bytes");
  return found == record->outcome.metrics.end() ? std::nullopt : std::optional(found->second);
}

bool calls_for_acceptance(VerdictKind kind) {
  using enum VerdictKind;
  constexpr std::array kKinds = {improved, new_cell, incomparable, missing, regressed};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

std::string testbed_of(const RunRecord& run, const std::string& cell) {
  const auto found = run.header.testbeds.find(parse_cell_id(cell).device);
  return found == run.header.testbeds.end() ? "" : found->second.id;
}

}  // namespace

std::string verdict_lines(std::span<const Verdict> verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("{:<12} {}{}{}\n", verdict_row(verdict.kind).name, verdict.cell,
                        verdict.reason.empty() ? "" : ": ", verdict.reason);
  }
  return text;
}

std::string advice(const RunRecord& run, std::span<const Verdict> verdicts,
                   const std::filesystem::path& baselines, const std::filesystem::path& run_path) {
  std::set<std::string> files;
  for (const Verdict& verdict : verdicts) {
    if (!calls_for_acceptance(verdict.kind)) continue;
    const std::string testbed = testbed_of(run, verdict.cell);
    if (!testbed.empty())
      files.insert(baseline_path(baselines, testbed, run.header.suite).string());
  }
  if (files.empty()) return {};
  std::string text = "If the change is meant, update the baseline and commit it:\n";
  for (const std::string& file : files) text += "  file:    " + file + "\n";
  return text +
         fmt::format("  command: highwater baseline accept {} --baselines {} --reason \"...\"\n",
                     run_path.string(), baselines.string());
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
              {}};
  for (const Verdict& verdict : verdicts) {
    const auto old_peak = peak_of(find_record(before, verdict.cell));
    const auto new_peak = peak_of(find_record(after, verdict.cell));
    const std::string name(verdict_row(verdict.kind).name);
    table.rows.push_back({verdict.cell, shown(old_peak), shown(new_peak),
                          change_text(old_peak, new_peak), percent_text(old_peak, new_peak),
                          verdict.reason.empty() ? name : name + ": " + verdict.reason});
  }
  return table;
}

Table acceptance_table(const Acceptance& acceptance) {
  Table table{"",
              {{"cell"},
               {"metric"},
               {"before", Align::right},
               {"after", Align::right},
               {"change", Align::right}},
              {}};
  for (const BaselineChange& change : acceptance.changes) {
    table.rows.push_back({change.cell, change.metric, shown(change.before), shown(change.after),
                          change_text(change.before, change.after)});
  }
  return table;
}

}  // namespace highwater
