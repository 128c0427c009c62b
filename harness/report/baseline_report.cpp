#include "harness/report/baseline_report.hpp"

#include "harness/report/ends_text.hpp"

namespace highwater {
namespace {

const std::string kAbsent = "-";

std::string value_text(const std::optional<BaselineRow>& row) {
  return row ? ends_text(row->value, &group_digits) : kAbsent;
}

std::string anchor_text(const std::optional<BaselineRow>& row) {
  return row && row->anchor ? group_digits(*row->anchor) : kAbsent;
}

std::string change_text(const std::optional<BaselineRow>& before,
                        const std::optional<BaselineRow>& after) {
  if (!before || !after) return kAbsent;
  const std::int64_t change = difference(after->value.low, before->value.low);
  return (change > 0 ? "+" : "") + group_digits(change);
}

std::string anchor_change_text(const std::optional<BaselineRow>& before,
                               const std::optional<BaselineRow>& after) {
  const std::string old_anchor = anchor_text(before);
  const std::string new_anchor = anchor_text(after);
  return !before || old_anchor == new_anchor ? new_anchor : old_anchor + " -> " + new_anchor;
}

std::vector<Column> value_columns() {
  return {{"before", Align::right},
          {"after", Align::right},
          {"change", Align::right},
          {"anchor", Align::right}};
}

std::vector<std::string> value_entries(const std::optional<BaselineRow>& before,
                                       const std::optional<BaselineRow>& after) {
  return {value_text(before), value_text(after), change_text(before, after),
          anchor_change_text(before, after)};
}

template <typename Entry>
std::vector<Entry> joined(std::vector<Entry> first, const std::vector<Entry>& middle,
                          const std::vector<Entry>& last = {}) {
  first.insert(first.end(), middle.begin(), middle.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

}  // namespace

Table acceptance_table(const Acceptance& acceptance) {
  Table table{"", joined<Column>({{"cell"}, {"metric"}}, value_columns()), {}};
  for (const BaselineChange& change : acceptance.changes) {
    table.rows.push_back(joined<std::string>({change.row().cell, change.row().metric},
                                             value_entries(change.before, change.after)));
  }
  return table;
}

Table history_table(std::span<const RowChange> changes) {
  Table table{"",
              joined<Column>({{"date"}, {"commit"}, {"testbed"}, {"metric"}}, value_columns(),
                             {{"reason"}}),
              {}};
  for (const RowChange& change : changes) {
    table.rows.push_back(
        joined<std::string>({change.date, change.commit, change.testbed, change.metric},
                            value_entries(change.before, change.after),
                            {change.after ? change.after->reason : "removed"}));
  }
  return table;
}

Table current_rows_table(const Baselines& baselines, const std::string& cell) {
  Table table{"",
              {{"testbed"},
               {"metric"},
               {"value", Align::right},
               {"anchor", Align::right},
               {"tolerance", Align::right},
               {"date"},
               {"reason"}},
              {}};
  for (const auto& [testbed, file] : baselines) {
    for (const BaselineRow& row : file.rows) {
      if (row.cell != cell) continue;
      table.rows.push_back({testbed, row.metric, value_text(row), anchor_text(row),
                            group_digits(row.tolerance), row.date, row.reason});
    }
  }
  return table;
}

}  // namespace highwater
