#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/measure/measurement.hpp"
#include "harness/record/profile_file.hpp"

namespace highwater {

inline constexpr std::string_view kBaselineSchema = "highwater.baseline/3";

/// One accepted value.
struct BaselineRow {
  std::string cell;
  std::string metric;
  Ends value;
  /// The level that a person last approved as such; never above `value`, which may rise beyond it
  /// by as much as compare/drift.hpp says. Every row of a file has one; rows that nobody approved,
  /// made of another run, have none.
  std::optional<std::int64_t> anchor;
  std::int64_t tolerance = 0;  ///< allowed distance from `value` either way
  std::string date;            ///< UTC day on which it was accepted
  std::string reason;          ///< why it has this value, in a person's words

  bool operator==(const BaselineRow&) const = default;
};

/// results/baselines/<testbed>/<suite>.jsonl: line 1 names schema, testbed and suite, then one line
/// a row, sorted by cell and metric so that a change is a short diff and merges stay honest.
struct BaselineFile {
  std::string testbed;
  std::string suite;
  std::vector<BaselineRow> rows;
  Profiles profiles;  ///< in a file of their own; of cells whose peak is among the rows
};

std::filesystem::path baseline_path(const std::filesystem::path& folder, std::string_view testbed,
                                    std::string_view suite);

/// The text of the file of rows; rows are sorted first.
std::string baseline_text(BaselineFile file);

/// Its rows, without profiles.
/// @throws UsageError "file:line: ..." on merge-conflict markers, malformed lines, another schema,
/// rows that stand twice or out of order, unknown metrics, an anchor above its value, a negative
/// tolerance, and a testbed or suite other than its path says.
BaselineFile read_baseline(const std::filesystem::path& path);

/// All files of a suite with their profiles, by testbed. A folder that does not exist holds none.
std::map<std::string, BaselineFile> read_baselines(const std::filesystem::path& folder,
                                                   std::string_view suite);

}  // namespace highwater
