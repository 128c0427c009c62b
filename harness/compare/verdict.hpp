#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/config/budget_file.hpp"
#include "harness/core/exit_code.hpp"
#include "harness/record/baseline_file.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// In order of weight: a cell gets the heaviest one that any of its metrics calls for.
enum class VerdictKind {
  skipped,
  refused,
  unchanged,
  improved,
  new_cell,
  ambiguous,
  incomparable,
  missing,
  regressed,
  unsteady,
  failed,
};

struct VerdictRow {
  VerdictKind kind;
  std::string_view name;  ///< as printed: "new", "regressed", ...
  ExitCode code;
  std::string_view meaning;
};

/// The whole table; gate output, reports and documents follow from it.
std::span<const VerdictRow> verdict_table();
const VerdictRow& verdict_row(VerdictKind kind);

/// What a person can do about a verdict.
enum class Remedy {
  none,    ///< nothing: it passes, or no baseline can be had
  accept,  ///< accept the run's values, where the change is meant
  anchor,  ///< approve them as a new level: they lie too far above the old one to be accepted
  prune,   ///< remove the rows, where the cell left the suite
  repair,  ///< no baseline makes it right
};

/// One metric that had a say, absent values where there was none.
struct MetricLine {
  std::string metric;
  VerdictKind kind;
  std::optional<Ends> baseline;
  std::optional<Ends> value;
  std::int64_t tolerance = 0;
  std::string note;     ///< a sentence, where the numbers alone do not explain the kind
  std::string warning;  ///< a sentence about the high end, which decides nothing
  bool broken = false;  ///< wrong in itself (a leak, a broken promise), whatever the baseline
  bool beyond_anchor = false;  ///< too far above the level that was last approved
};

struct Verdict {
  std::string cell;
  VerdictKind kind = VerdictKind::skipped;
  std::string reason;  ///< for people; empty when unchanged
  std::vector<MetricLine> lines;
  Remedy remedy = Remedy::none;
  std::string testbed;  ///< whose baselines it was held against; empty where the run names none
  PeakProfile growth;   ///< folded: what moved at the peak, where it moved and both sides are known
};

/// The reason, and what a person should know beside it; empty where there is neither.
std::string explanation(const Verdict& verdict);

/// Accepted values by testbed.
using Baselines = std::map<std::string, BaselineFile>;

/// One verdict per cell of the run, in its order, then one per cell that the run should hold and
/// does not: those that it planned, and those with baseline rows for its testbeds; of the latter
/// none where the run was narrowed by flags, because it says nothing about them. A measured cell
/// over one of the budgets is regressed, whatever its baseline (compare/budget_check.hpp).
std::vector<Verdict> judge(const RunRecord& run, const Baselines& baselines,
                           std::span<const Budget> budgets = {});

/// Holds one run against another: one verdict per cell of `after`, then one per cell that was
/// measured in `before` and is not in `after`, whatever flags or devices either had.
std::vector<Verdict> judge_against(const RunRecord& before, const RunRecord& after);

/// The exit status of a set of verdicts; missing where it is empty: nothing was shown to be right.
ExitCode exit_code_of(std::span<const Verdict> verdicts);

/// A run's own gated values as baselines, with default tolerances and without anchors.
Baselines baselines_of(const RunRecord& run);

}  // namespace highwater
