#include "harness/report/markdown_report.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/measure/metric.hpp"
#include "harness/report/table.hpp"
#include "harness/report/prediction_report.hpp"
#include "harness/report/published_report.hpp"
#include "harness/report/table_report.hpp"

namespace highwater {
namespace {

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : fmt::format("\n## {}\n\n{}", title, body);
}

std::string testbed_text(const RunHeader& header) {
  std::string text;
  for (const auto& [device, testbed] : header.testbeds) {
    Table table{fmt::format("{}: testbed {}", device, testbed.id), {{"fact"}, {"value"}}, {}};
    for (const auto& [name, value] : testbed.facts) table.rows.push_back({name, value});
    text += (text.empty() ? "" : "\n") + to_markdown(table);
  }
  return text;
}

std::string meaning_text() {
  return fmt::format(
      "*peak* is `peak_allocated_bytes`: {}. *reserved* is `peak_reserved_bytes`: {}. *vs "
      "baseline* "
      "compares the peak with technique `baseline` of the same model, preset and device in this "
      "run; "
      "a minus is a saving, and % is that of the low end. *certainty* says how well the bytes are "
      "known; two numbers joined by *to* come of the lowest and the highest sizes that a real "
      "device may ask for. *peak "
      "phase* is the part of the step in which the peak falls. Nothing is timed or computed on "
      "`sim` devices; numerics marked `(cpu)` come from the small twin of the same model code. A "
      "dash means: not measured on that device.\n",
      find_metric("peak_allocated_bytes")->meaning, find_metric("peak_reserved_bytes")->meaning);
}

std::string tables_text(const RunRecord& run, std::span<const Verdict> verdicts) {
  std::string text;
  for (const Table& table : tradeoff_tables(run, verdicts)) {
    text += (text.empty() ? "" : "\n") + to_markdown(table);
  }
  return text;
}

std::string predictions_text(const RunRecord& run) {
  const Table table = prediction_table(run);
  if (table.rows.empty()) return "";
  return "All in bytes; closed forms count requested bytes.\n\n" + to_markdown(table) +
         "\nWhat the peak is made of beyond the four predicted parts, by name:\n\n" +
         to_markdown(peak_table(run));
}

std::string published_text(const RunRecord& run, std::span<const PublishedNumber> published) {
  return published.empty() ? "" : to_markdown(published_table(run, published));
}

std::string numerics_text(const RunRecord& run) {
  Table table{"", {{"cell"}, {"verdict"}, {"what was seen"}}, {}};
  for (const CellRecord& record : run.cells) {
    const auto& numerics = record.outcome.numerics;
    if (numerics) table.rows.push_back({cell_id(record.cell), numerics->verdict, numerics->detail});
  }
  return table.rows.empty() ? "" : to_markdown(table);
}

std::string absent_text(const RunRecord& run, std::span<const Verdict> verdicts) {
  std::string text;
  for (const Verdict& verdict : verdicts) {
    if (find_record(run, verdict.cell) != nullptr) continue;
    text += fmt::format("- `{}`: {}\n", verdict.cell, verdict.reason);
  }
  return text;
}

std::string certainty_text() {
  Table table{"", {{"certainty"}, {"meaning"}}, {}};
  for (const CertaintyRow& row : certainty_table()) {
    table.rows.push_back({std::string(row.name), std::string(row.meaning)});
  }
  return to_markdown(table);
}

std::string reading_text() {
  Table table{"", {{"verdict"}, {"exit status of the gate", Align::right}, {"meaning"}}, {}};
  for (const VerdictRow& row : verdict_table()) {
    table.rows.push_back(
        {std::string(row.name), std::to_string(to_int(row.code)), std::string(row.meaning)});
  }
  return to_markdown(table);
}

}  // namespace

std::string markdown_report(const RunRecord& run, std::span<const Verdict> verdicts,
                            std::span<const PublishedNumber> published) {
  const RunHeader& header = run.header;
  std::string text =
      fmt::format("# Training memory: suite {}\n\nMeasured {}", header.suite, header.created);
  for (const auto& [name, version] : header.versions) text += fmt::format(", {} {}", name, version);
  text += ".\n";
  text += section("What the columns mean", meaning_text());
  text += section("What certainty means", certainty_text());
  text += section("Published numbers, rebuilt", published_text(run, published));
  text += section("Techniques, model by model", tables_text(run, verdicts));
  text += section("Not in this run", absent_text(run, verdicts));
  text += section("Prediction beside measurement", predictions_text(run));
  text += section("Numerics", numerics_text(run));
  text += section("How to read a verdict", reading_text());
  text += section("Where it was measured", testbed_text(header));
  return text;
}

}  // namespace highwater
