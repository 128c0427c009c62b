#include "harness/report/table_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "harness/report/ends_text.hpp"
#include "harness/report/row_verdict.hpp"
#include "harness/report/verdict_colour.hpp"

namespace highwater {
namespace {

const std::string kAbsent = "-";
const std::string kPeak = "peak_allocated_bytes";

/// What a column may look at.
struct RowContext {
  const RunRecord& run;
  const CellRecord& record;
  std::string verdict;  ///< as the row shows it
};

std::string bytes_or_absent(const std::optional<Ends>& bytes) {
  return bytes ? ends_text(*bytes, &format_bytes) : kAbsent;
}

// The parameters of a row stand beside its technique: the table's title has the rest of the id.
std::string row_name(const Cell& cell) {
  std::string text = cell.technique;
  for (const CellField& field : cell_fields()) {
    const std::string value = field.get(cell);
    if (field.optional && !value.empty()) text += fmt::format(" {}={}", field.name, value);
  }
  return text;
}

std::string technique_text(const RowContext& row) { return row_name(row.record.cell); }

std::string peak_text(const RowContext& row) {
  return bytes_or_absent(ends_of(&row.record, kPeak));
}

/// The peaks of the same cell with technique baseline, and of this one; absent for baseline itself,
/// and for what trains to NaN: bytes that no model comes out of are not saved.
std::optional<std::pair<Ends, Ends>> peaks(const RowContext& row) {
  const Cell baseline = baseline_cell_of(row.record.cell);
  if (row.record.cell == baseline) return std::nullopt;
  if (row.record.outcome.attributes.contains("diverges")) return std::nullopt;
  const auto before = ends_of(find_record(row.run, cell_id(baseline)), kPeak);
  const auto after = ends_of(&row.record, kPeak);
  if (!before || !after || before->low == 0) return std::nullopt;
  return std::pair(*before, *after);
}

// Low end against low, high against high: both sides get the same answers.
std::string change_text(const RowContext& row) {
  const auto pair = peaks(row);
  if (!pair) return kAbsent;
  const auto& [before, after] = *pair;
  return ends_text(
      {difference(after.low, before.low), difference(after.highest(), before.highest())},
      &format_bytes_change);
}

std::string percent_text(const RowContext& row) {
  const auto pair = peaks(row);
  if (!pair) return kAbsent;
  const auto& [before, after] = *pair;
  const auto change = static_cast<double>(difference(after.low, before.low));
  return fmt::format("{:+.1f} %", 100.0 * change / static_cast<double>(before.low));
}

std::string reserved_text(const RowContext& row) {
  return bytes_or_absent(ends_of(&row.record, "peak_reserved_bytes"));
}

std::string certainty_text(const RowContext& row) {
  const auto& certainty = row.record.outcome.certainty;
  return certainty ? to_text(*certainty) : kAbsent;
}

std::string phase_text(const RowContext& row) {
  const auto found = row.record.outcome.attributes.find("peak_phase");
  return found == row.record.outcome.attributes.end() ? kAbsent : found->second;
}

std::string time_text(const RowContext& row) { return step_time_text(row.record.outcome); }

std::string words(std::string text) {
  std::ranges::replace(text, '_', '-');
  return text;
}

// A simulated cell computes nothing; what is known about it comes from the small twin on cpu.
const CellRecord* cpu_twin(const RowContext& row) {
  const Cell& cell = row.record.cell;
  const auto found = std::ranges::find_if(row.run.cells, [&](const CellRecord& other) {
    return other.cell.device == "cpu" && other.cell.model == cell.model &&
           other.cell.technique == cell.technique && other.outcome.numerics;
  });
  return found == row.run.cells.end() ? nullptr : &*found;
}

std::string numerics_text(const RowContext& row) {
  if (row.record.outcome.numerics) return words(row.record.outcome.numerics->verdict);
  const CellRecord* twin = device_kind(row.record.cell.device) == "sim" ? cpu_twin(row) : nullptr;
  return twin == nullptr ? kAbsent : words(twin->outcome.numerics->verdict) + " (cpu)";
}

std::string verdict_text(const RowContext& row) { return row.verdict; }

struct ReportColumn {
  const char* heading;
  Align align;
  std::string (*text)(const RowContext&);
};

constexpr std::array kColumns = {
    ReportColumn{"technique", Align::left, &technique_text},
    ReportColumn{"peak", Align::right, &peak_text},
    ReportColumn{"vs baseline", Align::right, &change_text},
    ReportColumn{"%", Align::right, &percent_text},
    ReportColumn{"reserved", Align::right, &reserved_text},
    ReportColumn{"certainty", Align::left, &certainty_text},
    ReportColumn{"peak phase", Align::left, &phase_text},
    ReportColumn{"step time", Align::right, &time_text},
    ReportColumn{"numerics", Align::left, &numerics_text},
    ReportColumn{"verdict", Align::left, &verdict_text},
};

std::string title_of(const Cell& cell) {
  return fmt::format("{} ({}) on {}", cell.model, cell.preset, cell.device);
}

std::vector<std::string> row_texts(const RowContext& row) {
  std::vector<std::string> texts;
  for (const ReportColumn& column : kColumns) texts.push_back(column.text(row));
  return texts;
}

Table empty_table(const std::string& title) {
  Table table{.title = title, .columns = {}, .rows = {}, .notes = {}};
  for (const ReportColumn& column : kColumns)
    table.columns.push_back({column.heading, column.align});
  return table;
}

/// The records of one table, in the order of the run.
struct Group {
  std::string title;
  std::vector<const CellRecord*> records;
};

std::vector<Group> groups_of(const RunRecord& run) {
  std::vector<Group> groups;
  for (const CellRecord& record : run.cells) {
    const std::string title = title_of(record.cell);
    auto found = std::ranges::find(groups, title, &Group::title);
    if (found == groups.end()) found = groups.insert(groups.end(), {title, {}});
    found->records.push_back(&record);
  }
  return groups;
}

Table table_of(const Group& group, const RunRecord& run, std::span<const Verdict> verdicts) {
  std::vector<NamedVerdict> named;
  for (const CellRecord* record : group.records) {
    named.push_back({row_name(record->cell), row_verdict(*record, verdicts)});
  }
  Table table = empty_table(group.title);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (is_left_out(named[i].verdict)) continue;
    table.rows.push_back(
        row_texts({run, *group.records[i], shown_verdict(named[i].verdict, named)}));
  }
  table.notes = shared_sentences(named);
  return table;
}

}  // namespace

std::vector<Table> tradeoff_tables(const RunRecord& run, std::span<const Verdict> verdicts) {
  std::vector<Table> tables;
  for (const Group& group : groups_of(run)) tables.push_back(table_of(group, run, verdicts));
  return tables;
}

std::string step_time_text(const CellOutcome& outcome) {
  const auto found = outcome.metrics.find("step_time_nanoseconds");
  if (found == outcome.metrics.end()) return kAbsent;
  const double milliseconds = static_cast<double>(found->second) / 1e6;
  return milliseconds < 1000 ? fmt::format("{:.2f} ms", milliseconds)
                             : fmt::format("{:.2f} s", milliseconds / 1000);
}

std::string console_text(const RunRecord& run, std::span<const Verdict> verdicts, bool colour) {
  std::string text;
  for (const Table& table : tradeoff_tables(run, verdicts)) {
    text += (text.empty() ? "" : "\n") + (colour ? coloured_text(table) : to_text(table));
  }
  return text;
}

}  // namespace highwater
