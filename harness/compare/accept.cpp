#include "harness/compare/accept.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "harness/compare/cell_comparison.hpp"
#include "harness/compare/drift.hpp"
#include "harness/compare/soundness.hpp"

namespace highwater {
namespace {

using Key = std::pair<std::string, std::string>;
using RowMap = std::map<Key, BaselineRow>;

std::string refusal(const CellRecord& record, const RunRecord& run) {
  if (has_parameters(record.cell)) return "no suite holds a cell of another batch or capacity";
  return unsoundness(record, run);
}

bool cannot_run(OutcomeKind kind) {
  return kind == OutcomeKind::skipped || kind == OutcomeKind::refused;
}

const BaselineRow* find_row(const RowMap& rows, const std::string& cell,
                            const std::string& metric) {
  const auto found = rows.find({cell, metric});
  return found == rows.end() ? nullptr : &found->second;
}

BaselineRow new_row(const CellRecord& record, const std::string& metric, const Ends& value,
                    const AcceptOptions& options) {
  return {.cell = cell_id(record.cell),
          .metric = metric,
          .value = value,
          .anchor = value.low,
          .tolerance =
              default_tolerance(*find_metric(metric), device_kind(record.cell.device), value.low),
          .date = options.date,
          .reason = options.reason};
}

bool has_default_tolerance(const BaselineRow& row, const CellRecord& record) {
  return row.tolerance == default_tolerance(*find_metric(row.metric),
                                            device_kind(record.cell.device), row.value.low);
}

/// What becomes of a row, or of none, when this value is accepted.
BaselineRow accepted_row(const BaselineRow* old, BaselineRow now, const CellRecord& record,
                         const AcceptOptions& options) {
  if (old == nullptr) return now;
  const bool moved = has_moved(*old, now.value);
  const bool beyond = is_beyond_anchor(*old, now.value.low);
  if (!moved && !(beyond && options.new_anchor)) return *old;
  if (!options.new_anchor)
    now.anchor = std::min(old->anchor.value_or(now.value.low), now.value.low);
  if (!has_default_tolerance(*old, record)) now.tolerance = old->tolerance;
  return now;
}

/// Sentences about values of a cell that are too far above their anchors; empty where none is.
std::string drift_of(const CellRecord& record, const RowMap& old) {
  std::string text;
  for (const auto& [metric, value] : gated_values(record)) {
    const BaselineRow* row = find_row(old, cell_id(record.cell), metric);
    if (row == nullptr || !is_beyond_anchor(*row, value.low)) continue;
    text += (text.empty() ? "" : "; ") + beyond_anchor_text(*row, value.low);
  }
  return text;
}

bool has_rows(const RowMap& rows, const std::string& cell) {
  const auto row = rows.lower_bound({cell, ""});
  return row != rows.end() && row->first.first == cell;
}

void accept_cell(const CellRecord& record, const RowMap& old, const AcceptOptions& options,
                 RowMap& rows) {
  const std::string id = cell_id(record.cell);
  std::erase_if(rows, [&](const auto& row) { return row.first.first == id; });
  for (const auto& [metric, value] : gated_values(record)) {
    rows[{id, metric}] = accepted_row(find_row(old, id, metric),
                                      new_row(record, metric, value, options), record, options);
  }
}

/// What the rows of this testbed should be, given the old ones; cells that keep theirs go into
/// `result`.
RowMap wanted_rows(const RowMap& old, const RunRecord& run, const std::string& testbed,
                   const AcceptOptions& options, Acceptance& result) {
  RowMap rows = old;
  std::set<std::string> present;
  for (const CellRecord& record : run.cells) {
    if (run.header.testbeds.at(record.cell.device).id != testbed) continue;
    const std::string id = cell_id(record.cell);
    present.insert(id);
    const std::string reason = refusal(record, run);
    const std::string drift = options.new_anchor ? "" : drift_of(record, old);
    if (!reason.empty()) {
      const bool mentioned = has_rows(old, id) || !cannot_run(record.outcome.kind);
      if (mentioned) result.kept.push_back(id + ": " + reason);
    } else if (!drift.empty()) {
      result.drifted.push_back(id + ": " + drift);
    } else {
      accept_cell(record, old, options, rows);
    }
  }
  if (options.prune) {
    std::erase_if(rows, [&](const auto& row) { return !present.contains(row.first.first); });
  }
  return rows;
}

const std::string kPeak = "peak_allocated_bytes";

/// Of every cell whose peak has a row: what the run says, where the run gave it that value, else
/// what was there.
Profiles wanted_profiles(const BaselineFile& old, const RowMap& rows, const RunRecord& run) {
  Profiles profiles;
  for (const auto& [key, row] : rows) {
    if (key.second != kPeak) continue;
    const CellRecord* record = find_record(run, key.first);
    const bool is_of_run = record != nullptr && !record->outcome.profile.empty() &&
                           total_bytes(record->outcome.profile) == row.value.low;
    if (is_of_run) {
      profiles[key.first] = record->outcome.profile;
    } else if (const auto kept = old.profiles.find(key.first); kept != old.profiles.end()) {
      profiles[key.first] = kept->second;
    }
  }
  return profiles;
}

std::optional<BaselineRow> row_in(const RowMap& rows, const Key& key) {
  const BaselineRow* row = find_row(rows, key.first, key.second);
  return row == nullptr ? std::nullopt : std::optional(*row);
}

std::vector<BaselineChange> differences(const RowMap& before, const RowMap& after) {
  std::set<Key> keys;
  for (const auto& [key, row] : before) keys.insert(key);
  for (const auto& [key, row] : after) keys.insert(key);
  std::vector<BaselineChange> changes;
  for (const Key& key : keys) {
    BaselineChange change{row_in(before, key), row_in(after, key)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

Acceptance accept_run(BaselineFile old, const RunRecord& run, const AcceptOptions& options) {
  RowMap before;
  for (BaselineRow& row : old.rows) before.emplace(Key{row.cell, row.metric}, row);
  Acceptance result;
  const RowMap after = wanted_rows(before, run, old.testbed, options, result);
  result.changes = differences(before, after);
  old.profiles = wanted_profiles(old, after, run);
  old.rows.clear();
  for (const auto& [key, row] : after) old.rows.push_back(row);
  result.file = std::move(old);
  return result;
}

}  // namespace highwater
