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
  std::string cell;
  std::string metric;
  std::optional<Ends> before;
  std::optional<Ends> after;
};

struct Acceptance {
  BaselineFile file;                    ///< as it is to be written
  std::vector<BaselineChange> changes;  ///< sorted by cell and metric
  std::vector<std::string> kept;        ///< cells whose old rows stay, each with the reason;
                                        ///< not cells that were skipped or refused and had none
};

struct AcceptOptions {
  std::string date;    ///< for the rows that move
  std::string reason;  ///< for the rows that move
  bool prune = false;  ///< also remove rows of cells that the run does not hold
};

/// The baseline file of one testbed after accepting a run. Rows whose value did not move keep their
/// date and reason. Cells that failed, were skipped or refused, are unsteady, leak or break a
/// promise keep the rows they had: such numbers are not worth holding anyone to. Cells of another
/// batch or capacity are in no suite, and a row of theirs would be missing from every run of it:
/// they get none.
Acceptance accept_run(BaselineFile old, const RunRecord& run, const AcceptOptions& options);

}  // namespace highwater
