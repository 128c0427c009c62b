#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/verdict.hpp"
#include "harness/matrix/catalog.hpp"
#include "harness/record/record.hpp"

namespace highwater {

inline constexpr std::string_view kPageSchema = "highwater.page/1";

/// A run as the page shows it.
struct PageRun {
  std::string label;  ///< for people: where it was read from
  const RunRecord& run;
  std::span<const Verdict> verdicts;  ///< of `run`, in its order; none where nothing was judged
  /// Published records hold no profile; that of an accepted baseline stands in where it is of the
  /// same peak.
  const Baselines& baselines;
};

/// Everything that the page shows, and nothing that it can compute:
///
///     {"schema", "metrics": [{"id", "unit", "meaning"}],
///      "verdicts" and "certainties": [{"name", "meaning"}],
///      "models": {name: summary}, "techniques": {name: declaration},
///      "categories", "phases", "modules", "operators": [text],
///      "parts": [category, phase, module, operator, blocks, bytes, ...],
///      "runs": [{"label", "suite", "created", "versions", "testbeds", "narrowed", "cells":
///      [...]}]}
///
/// A part is six numbers, the first four of them places in the lists; modules are folded
/// (measure/peak_profile.hpp). A cell's "profile" is [first, number, ...]: runs of places in
/// "parts", because cells of one model have most of their parts in common. Its "metrics" stand in
/// the order of the list, null where absent. "baseline" is the place of the cell that its savings
/// are measured against.
/// @param runs the one that the page is about, then the one that it is held against, if any.
nlohmann::ordered_json page_document(std::span<const PageRun> runs, const Catalog& catalog);

}  // namespace highwater
