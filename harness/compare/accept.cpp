#include "harness/compare/accept.hpp"

#include <map>
#include <set>

#include "harness/compare/cell_comparison.hpp"
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

/// What the rows of this testbed should be, given the old ones.
RowMap wanted_rows(const RowMap& old, const RunRecord& run, const std::string& testbed,
                   const AcceptOptions& options, std::vector<std::string>& kept) {
  RowMap rows = old;
  std::set<std::string> present;
  for (const CellRecord& record : run.cells) {
    if (run.header.testbeds.at(record.cell.device).id != testbed) continue;
    const std::string id = cell_id(record.cell);
    present.insert(id);
    if (const std::string reason = refusal(record, run); !reason.empty()) {
      const auto row = old.lower_bound({id, ""});
      const bool had_rows = row != old.end() && row->first.first == id;
      if (had_rows || !cannot_run(record.outcome.kind)) kept.push_back(id + ": " + reason);
      continue;
    }
    std::erase_if(rows, [&](const auto& row) { return row.first.first == id; });
    for (const auto& [metric, value] : gated_values(record)) {
      const auto before = old.find({id, metric});
      const bool moved = before == old.end() || before->second.value != value;
      rows[{id, metric}] =
          moved ? BaselineRow{id, metric, value, options.date, options.reason} : before->second;
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

std::optional<Ends> value_in(const RowMap& rows, const Key& key) {
  const auto found = rows.find(key);
  return found == rows.end() ? std::optional<Ends>() : found->second.value;
}

std::vector<BaselineChange> differences(const RowMap& before, const RowMap& after) {
  std::set<Key> keys;
  for (const auto& [key, row] : before) keys.insert(key);
  for (const auto& [key, row] : after) keys.insert(key);
  std::vector<BaselineChange> changes;
  for (const Key& key : keys) {
    BaselineChange change{key.first, key.second, value_in(before, key), value_in(after, key)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

Acceptance accept_run(BaselineFile old, const RunRecord& run, const AcceptOptions& options) {
  RowMap before;
  for (BaselineRow& row : old.rows) before.emplace(Key{row.cell, row.metric}, row);
  Acceptance result;
  const RowMap after = wanted_rows(before, run, old.testbed, options, result.kept);
  result.changes = differences(before, after);
  old.profiles = wanted_profiles(old, after, run);
  old.rows.clear();
  for (const auto& [key, row] : after) old.rows.push_back(row);
  result.file = std::move(old);
  return result;
}

}  // namespace highwater
