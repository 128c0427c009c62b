#include "harness/export/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <vector>

#include "harness/measure/metric.hpp"

namespace highwater {
namespace {

struct CsvColumn {
  std::string name;
  std::function<std::string(const CellRecord&)> value;
};

std::string with_unit(std::string_view name, std::string_view unit) {
  return name.ends_with(fmt::format("_{}", unit)) ? std::string(name)
                                                  : fmt::format("{}_{}", name, unit);
}

std::string field_name(std::string_view field) {
  if (field == "batch") return "batch_samples";
  if (field == "capacity") return "capacity_bytes";
  return std::string(field);
}

std::string text_of(const std::optional<std::int64_t>& value) {
  return value ? fmt::format("{}", *value) : "";
}

void add_outcome(std::vector<CsvColumn>& columns) {
  columns.push_back({"outcome", [](const CellRecord& r) { return to_text(r.outcome.kind); }});
  columns.push_back({"reason", [](const CellRecord& r) { return r.outcome.reason; }});
  columns.push_back({"certainty", [](const CellRecord& r) {
                       return r.outcome.certainty ? to_text(*r.outcome.certainty) : "";
                     }});
  columns.push_back({"numerics", [](const CellRecord& r) {
                       return r.outcome.numerics ? r.outcome.numerics->verdict : "";
                     }});
}

void add_metrics(std::vector<CsvColumn>& columns) {
  for (const Metric& metric : metrics()) {
    const std::string id(metric.id);
    columns.push_back({with_unit(id, unit_name(metric.unit)),
                       [id](const CellRecord& r) { return text_of(metric_of(&r, id)); }});
  }
  for (const Metric& metric : metrics()) {
    const std::string id(metric.id);
    const auto high = [id](const CellRecord& r) {
      const auto ends = ends_of(&r, id);
      return ends ? text_of(ends->high) : "";
    };
    columns.push_back({with_unit(id, unit_name(metric.unit)) + "_high", high});
  }
}

std::vector<CsvColumn> record_columns() {
  std::vector<CsvColumn> columns;
  for (const CellField& field : cell_fields()) {
    columns.push_back(
        {field_name(field.name), [&field](const CellRecord& r) { return field.get(r.cell); }});
  }
  add_outcome(columns);
  add_metrics(columns);
  return columns;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string line(const std::vector<std::string>& fields) {
  std::vector<std::string> texts;
  for (const std::string& field : fields) texts.push_back(quoted(field));
  return fmt::format("{}\r\n", fmt::join(texts, ","));
}

std::string heading(const std::vector<CsvColumn>& columns) {
  std::vector<std::string> names = {"cell", "verdict", "explanation"};
  for (const CsvColumn& column : columns) names.push_back(column.name);
  return line(names);
}

std::string row(const JudgedCell& cell, const std::vector<CsvColumn>& columns) {
  std::vector<std::string> fields = {cell.verdict->cell,
                                     std::string(verdict_row(cell.verdict->kind).name),
                                     explanation(*cell.verdict)};
  for (const CsvColumn& column : columns) {
    fields.push_back(cell.record == nullptr ? "" : column.value(*cell.record));
  }
  return line(fields);
}

}  // namespace

std::string csv_text(const ExportInput& input) {
  const auto columns = record_columns();
  std::string text = heading(columns);
  for (const JudgedCell& cell : judged_cells(input)) text += row(cell, columns);
  return text;
}

}  // namespace highwater
