#include "harness/compare/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/compare/cell_comparison.hpp"

namespace highwater {
namespace {

using enum VerdictKind;

constexpr std::array kTable = {
    VerdictRow{skipped, "skipped", ExitCode::skipped, "not run here, for the stated reason"},
    VerdictRow{unchanged, "unchanged", ExitCode::ok,
               "every gated metric equals its baseline (within its tolerance)"},
    VerdictRow{improved, "improved", ExitCode::stale_baseline,
               "needs less than its baseline: accept a new one, so that the win is kept"},
    VerdictRow{new_cell, "new", ExitCode::missing, "has no baseline yet: accept one"},
    VerdictRow{ambiguous, "ambiguous", ExitCode::incomparable,
               "a noisy metric moved: one run cannot tell, repeat it"},
    VerdictRow{incomparable, "incomparable", ExitCode::incomparable,
               "its baseline belongs to another testbed: neither pass nor fail"},
    VerdictRow{missing, "missing", ExitCode::missing,
               "a baseline row that this run did not measure"},
    VerdictRow{regressed, "regressed", ExitCode::regression,
               "needs more than its baseline, leaks, or saves less than promised"},
    VerdictRow{unsteady, "unsteady", ExitCode::cell_error,
               "its measured steps did not agree to the byte"},
    VerdictRow{failed, "failed", ExitCode::cell_error,
               "was not measured: failed, incorrect, timed out or out of memory"},
};

using RowsByCell = std::map<std::string, AcceptedValues>;

RowsByCell rows_by_cell(const BaselineFile& file) {
  RowsByCell cells;
  for (const BaselineRow& row : file.rows) cells[row.cell][row.metric] = row.value;
  return cells;
}

/// A testbed other than the run's that holds this cell; empty where none does.
std::string foreign_testbed(const std::string& cell, const std::string& own,
                            const Baselines& baselines) {
  for (const auto& [testbed, file] : baselines) {
    if (testbed != own &&
        std::ranges::find(file.rows, cell, &BaselineRow::cell) != file.rows.end()) {
      return testbed;
    }
  }
  return {};
}

/// Peaks that differ because every step keeps something are a leak, and that is the verdict.
bool is_unsteady(const CellOutcome& outcome) {
  const auto steady = outcome.attributes.find("steady");
  const auto leak = outcome.metrics.find("leak_bytes");
  const bool leaks = leak != outcome.metrics.end() && leak->second != 0;
  return !leaks && steady != outcome.attributes.end() && steady->second == "false";
}

class Judge {
 public:
  Judge(const RunRecord& run, const Baselines& baselines) : run_(run), baselines_(baselines) {
    for (const auto& [device, testbed] : run.header.testbeds) {
      const auto file = baselines.find(testbed.id);
      if (file != baselines.end()) rows_[testbed.id] = rows_by_cell(file->second);
    }
  }

  Verdict judge(const CellRecord& record) const {
    const std::string id = cell_id(record.cell);
    const CellOutcome& outcome = record.outcome;
    const AcceptedValues rows = rows_of(record);
    if (outcome.kind == OutcomeKind::skipped) return judge_skipped(id, outcome, rows);
    if (outcome.kind != OutcomeKind::measured) {
      return {id, failed, to_text(outcome.kind) + ": " + outcome.reason, {}};
    }
    if (is_unsteady(outcome)) return {id, unsteady, "the peaks of its measured steps differ", {}};
    Verdict verdict = conclude(id, compare_cell(record, run_, rows));
    return rows.empty() ? judge_unknown(record, std::move(verdict)) : verdict;
  }

  void add_absent(std::vector<Verdict>& verdicts) const {
    std::set<std::string> present;
    for (const CellRecord& record : run_.cells) present.insert(cell_id(record.cell));
    for (const auto& [testbed, cells] : rows_) {
      for (const auto& [id, rows] : cells) {
        if (present.contains(id)) continue;
        verdicts.push_back(
            {id, missing, "has a baseline for " + testbed + ", but is not in this run", {}});
      }
    }
  }

 private:
  const std::string& testbed_of(const CellRecord& record) const {
    return run_.header.testbeds.at(record.cell.device).id;
  }

  AcceptedValues rows_of(const CellRecord& record) const {
    const auto cells = rows_.find(testbed_of(record));
    if (cells == rows_.end()) return {};
    const auto rows = cells->second.find(cell_id(record.cell));
    return rows == cells->second.end() ? AcceptedValues{} : rows->second;
  }

  static Verdict judge_skipped(const std::string& id, const CellOutcome& outcome,
                               const AcceptedValues& rows) {
    if (rows.empty()) return {id, skipped, outcome.reason, {}};
    return {id, missing, "has a baseline, but was skipped: " + outcome.reason, {}};
  }

  Verdict judge_unknown(const CellRecord& record, Verdict verdict) const {
    if (verdict.kind > new_cell) return verdict;
    verdict.kind = new_cell;
    verdict.reason = "no baseline for testbed " + testbed_of(record);
    if (rows_.contains(testbed_of(record))) return verdict;
    const auto foreign = foreign_testbed(verdict.cell, testbed_of(record), baselines_);
    if (foreign.empty()) return verdict;
    verdict.kind = incomparable;
    verdict.reason =
        fmt::format("its baseline is of testbed {}, this run of {}", foreign, testbed_of(record));
    return verdict;
  }

  const RunRecord& run_;
  const Baselines& baselines_;
  std::map<std::string, RowsByCell> rows_;  // of the run's own testbeds
};

}  // namespace

std::span<const VerdictRow> verdict_table() { return kTable; }

const VerdictRow& verdict_row(VerdictKind kind) {
  return *std::ranges::find(kTable, kind, &VerdictRow::kind);
}

std::vector<Verdict> judge(const RunRecord& run, const Baselines& baselines) {
  const Judge judge(run, baselines);
  std::vector<Verdict> verdicts;
  for (const CellRecord& record : run.cells) verdicts.push_back(judge.judge(record));
  judge.add_absent(verdicts);
  return verdicts;
}

ExitCode exit_code_of(std::span<const Verdict> verdicts) {
  if (verdicts.empty()) return ExitCode::missing;
  ExitCode code = ExitCode::skipped;
  for (const Verdict& verdict : verdicts) code = worse(code, verdict_row(verdict.kind).code);
  return code;
}

Baselines baselines_of(const RunRecord& run) {
  Baselines baselines;
  for (const CellRecord& record : run.cells) {
    const std::string testbed = run.header.testbeds.at(record.cell.device).id;
    BaselineFile& file = baselines[testbed];
    file.testbed = testbed;
    file.suite = run.header.suite;
    for (const auto& [metric, value] : gated_values(record)) {
      file.rows.push_back({cell_id(record.cell), metric, value, run.header.created, "measured"});
    }
  }
  return baselines;
}

}  // namespace highwater
