#include "harness/compare/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/compare/budget_check.hpp"
#include "harness/compare/cell_comparison.hpp"
#include "harness/compare/soundness.hpp"

namespace highwater {
namespace {

using enum VerdictKind;

constexpr std::array kTable = {
    VerdictRow{skipped, "skipped", ExitCode::skipped, "not run here, for the stated reason"},
    VerdictRow{refused, "refused", ExitCode::skipped,
               "cannot be simulated, for the stated reason: only a real device knows"},
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
               "needs more than its baseline, anchor or budget allows, leaks, or saves less than "
               "promised"},
    VerdictRow{unsteady, "unsteady", ExitCode::cell_error,
               "its measured steps did not agree to the byte"},
    VerdictRow{failed, "failed", ExitCode::cell_error,
               "was not measured: failed, incorrect, timed out or out of memory"},
};

const std::string kPeak = "peak_allocated_bytes";

using RowsByCell = std::map<std::string, AcceptedRows>;

RowsByCell rows_by_cell(const BaselineFile& file) {
  RowsByCell cells;
  for (const BaselineRow& row : file.rows) cells[row.cell].emplace(row.metric, row);
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

class Judge {
 public:
  Judge(const RunRecord& run, const Baselines& baselines, std::span<const Budget> budgets)
      : run_(run), baselines_(baselines), budgets_(budgets) {
    for (const auto& [device, testbed] : run.header.testbeds) {
      const auto file = baselines.find(testbed.id);
      if (file != baselines.end()) rows_[testbed.id] = rows_by_cell(file->second);
    }
  }

  Verdict judge(const CellRecord& record) const {
    Verdict verdict = judge_outcome(record);
    verdict.testbed = testbed_of(record);
    verdict.growth = growth_of(record);
    return verdict;
  }

  void add_absent(std::vector<Verdict>& verdicts) const {
    const auto planned = planned_cells(run_.header).value_or(std::vector<std::string>());
    std::set<std::string> seen;
    for (const CellRecord& record : run_.cells) seen.insert(cell_id(record.cell));
    for (const std::string& id : planned) {
      if (!seen.insert(id).second) continue;
      verdicts.push_back(
          {id, missing, "was planned, but is not in this run", {}, Remedy::repair, ""});
    }
    if (is_narrowed(run_.header)) return;
    for (const auto& [testbed, cells] : rows_) {
      for (const auto& [id, rows] : cells) {
        if (seen.contains(id)) continue;
        const std::string reason = "has a baseline for " + testbed + ", but is not in this run";
        verdicts.push_back({id, missing, reason, {}, Remedy::prune, testbed});
      }
    }
  }

 private:
  Verdict judge_outcome(const CellRecord& record) const {
    const std::string id = cell_id(record.cell);
    const CellOutcome& outcome = record.outcome;
    const AcceptedRows rows = rows_of(record);
    if (outcome.kind == OutcomeKind::skipped) return not_run(id, skipped, outcome, rows);
    if (outcome.kind == OutcomeKind::refused) return not_run(id, refused, outcome, rows);
    if (outcome.kind != OutcomeKind::measured) {
      return wrong(id, failed, to_text(outcome.kind) + ": " + outcome.reason);
    }
    if (const auto fault = fault_of(outcome); !fault.empty()) return wrong(id, failed, fault);
    if (leaked_bytes(outcome) == 0 && !is_steady(outcome)) {
      return wrong(id, unsteady, "the peaks of its measured steps differ");
    }
    auto lines = compare_cell(record, run_, rows);
    for (MetricLine& line : check_budgets(record, budgets_)) lines.push_back(std::move(line));
    Verdict verdict = conclude(id, std::move(lines));
    return rows.empty() ? judge_unknown(record, std::move(verdict)) : verdict;
  }

  PeakProfile growth_of(const CellRecord& record) const {
    const auto file = baselines_.find(testbed_of(record));
    if (file == baselines_.end() || record.outcome.profile.empty()) return {};
    const auto before = file->second.profiles.find(cell_id(record.cell));
    const AcceptedRows rows = rows_of(record);
    const auto peak = rows.find(kPeak);
    // Rows that a merge mixed may be of another run than the profile.
    const bool is_of_rows = before != file->second.profiles.end() && peak != rows.end() &&
                            total_bytes(before->second) == peak->second.value.low;
    if (!is_of_rows) return {};
    return folded(difference(before->second, record.outcome.profile));
  }

  static Verdict wrong(const std::string& id, VerdictKind kind, const std::string& reason) {
    return {id, kind, reason, {}, Remedy::repair, ""};
  }

  const std::string& testbed_of(const CellRecord& record) const {
    return run_.header.testbeds.at(record.cell.device).id;
  }

  AcceptedRows rows_of(const CellRecord& record) const {
    const auto cells = rows_.find(testbed_of(record));
    if (cells == rows_.end()) return {};
    const auto rows = cells->second.find(cell_id(record.cell));
    return rows == cells->second.end() ? AcceptedRows{} : rows->second;
  }

  static Verdict not_run(const std::string& id, VerdictKind kind, const CellOutcome& outcome,
                         const AcceptedRows& rows) {
    if (rows.empty()) return {id, kind, outcome.reason, {}};
    return wrong(id, missing,
                 "has a baseline, but was " + to_text(outcome.kind) + ": " + outcome.reason);
  }

  Verdict judge_unknown(const CellRecord& record, Verdict verdict) const {
    if (verdict.kind > new_cell) return verdict;
    verdict.kind = new_cell;
    verdict.reason = "no baseline for testbed " + testbed_of(record);
    verdict.remedy = has_parameters(record.cell) ? Remedy::none : Remedy::accept;
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
  std::span<const Budget> budgets_;
  std::map<std::string, RowsByCell> rows_;  // of the run's own testbeds
};

}  // namespace

std::span<const VerdictRow> verdict_table() { return kTable; }

const VerdictRow& verdict_row(VerdictKind kind) {
  return *std::ranges::find(kTable, kind, &VerdictRow::kind);
}

std::string explanation(const Verdict& verdict) {
  std::string text = verdict.reason;
  for (const MetricLine& line : verdict.lines) {
    if (!line.warning.empty()) text += (text.empty() ? "" : "; ") + line.warning;
  }
  return text;
}

std::vector<Verdict> judge(const RunRecord& run, const Baselines& baselines,
                           std::span<const Budget> budgets) {
  const Judge judge(run, baselines, budgets);
  std::vector<Verdict> verdicts;
  for (const CellRecord& record : run.cells) verdicts.push_back(judge.judge(record));
  judge.add_absent(verdicts);
  return verdicts;
}

std::vector<Verdict> judge_against(const RunRecord& before, const RunRecord& after) {
  const Baselines baselines = baselines_of(before);
  const Judge judge(after, baselines, {});
  std::vector<Verdict> verdicts;
  for (const CellRecord& record : after.cells) verdicts.push_back(judge.judge(record));
  for (const CellRecord& record : before.cells) {
    const std::string id = cell_id(record.cell);
    if (record.outcome.kind != OutcomeKind::measured || find_record(after, id) != nullptr) continue;
    verdicts.push_back({id, missing, "is in the old run, but not in the new one", {}});
  }
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
    file.profiles[cell_id(record.cell)] = record.outcome.profile;
    for (const auto& [metric, value] : gated_values(record)) {
      file.rows.push_back({.cell = cell_id(record.cell),
                           .metric = metric,
                           .value = value,
                           .anchor = std::nullopt,
                           .tolerance = default_tolerance(
                               *find_metric(metric), device_kind(record.cell.device), value.low),
                           .date = run.header.created,
                           .reason = "measured"});
    }
  }
  return baselines;
}

}  // namespace highwater
