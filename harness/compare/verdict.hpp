#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "harness/record/baseline_file.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// In order of weight: a cell gets the heaviest one that any of its metrics calls for.
enum class VerdictKind {
  skipped,
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

/// One metric that had a say, absent values where there was none.
struct MetricLine {
  std::string metric;
  VerdictKind kind;
  std::optional<std::int64_t> baseline;
  std::optional<std::int64_t> value;
  std::int64_t tolerance = 0;
  std::string note;  ///< a sentence, where the numbers alone do not explain the kind
};

struct Verdict {
  std::string cell;
  VerdictKind kind = VerdictKind::skipped;
  std::string reason;  ///< for people; empty when unchanged
  std::vector<MetricLine> lines;
};

/// Accepted values by testbed.
using Baselines = std::map<std::string, BaselineFile>;

/// One verdict per cell of the run, in its order, then one per baseline row's cell (of the run's
/// testbeds) that the run does not hold.
std::vector<Verdict> judge(const RunRecord& run, const Baselines& baselines);

/// The exit status of a set of verdicts; missing where it is empty: nothing was shown to be right.
ExitCode exit_code_of(std::span<const Verdict> verdicts);

/// A run's own gated values as baselines, to hold another run against it.
Baselines baselines_of(const RunRecord& run);

}  // namespace highwater
