#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/baseline_file.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// One row that accepting a run changes: absent before = added, absent after = removed.
struct BaselineChange {
  std::optional<BaselineRow> before;
  std::optional<BaselineRow> after;
  const BaselineRow& row() const { return after ? *after : *before; }
};

struct Acceptance {
  BaselineFile file;                    ///< as it is to be written
  std::vector<BaselineChange> changes;  ///< sorted by cell and metric
  std::vector<std::string> kept;        ///< cells whose old rows stay, each with the reason;
                                        ///< not cells that were skipped or refused and had none
  std::vector<std::string> drifted;     ///< cells whose old rows stay because a value lies beyond
                                        ///< its anchor, each with the sentence
};

struct AcceptOptions {
  std::string date;    ///< for the rows that move
  std::string reason;  ///< for the rows that move
  bool prune = false;  ///< also remove rows of cells that the run does not hold
  /// Approve the values that moved, and those beyond their anchors, as new levels.
  bool new_anchor = false;
};

/// The baseline file of one testbed after accepting a run. Rows whose value did not move beyond
/// their tolerance stay as they are. One that moved keeps its anchor, or takes its own value as the
/// anchor where that is lower, so that a win is kept; it keeps a tolerance that is not the default.
/// A cell with a value too far above its anchor (drift.hpp) keeps all its old rows. Cells that
/// failed, were skipped or refused, are unsteady, leak or break a promise keep the rows they had:
/// such numbers are not worth holding anyone to. Cells of another batch or capacity are in no
/// suite, and a row of theirs would be missing from every run of it: they get none.
Acceptance accept_run(BaselineFile old, const RunRecord& run, const AcceptOptions& options);

}  // namespace highwater
