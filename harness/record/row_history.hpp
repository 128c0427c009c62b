#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/baseline_file.hpp"

namespace highwater {

/// One commit's change of one row: absent before = added, absent after = removed.
struct RowChange {
  std::string date;     ///< of the commit, "2026-01-31"
  std::string commit;   ///< short hash
  std::string testbed;  ///< by the file's folder
  std::string metric;
  std::optional<BaselineRow> before;
  std::optional<BaselineRow> after;
};

/// Changes of a cell's rows, in the order of the text: what `git log -p` prints of baseline files
/// with --format="commit %h %cs". Rows of any schema are read (older ones lack anchor and
/// tolerance); lines that hold no row are passed over, because history cannot be mended. A row that
/// only changed its schema did not change.
std::vector<RowChange> row_history(std::string_view log, std::string_view cell);

}  // namespace highwater
