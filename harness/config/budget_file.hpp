#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/bytes.hpp"

namespace highwater {

/// "No cell that this glob matches may take more than this."
struct Budget {
  std::string file;  ///< for people, with the line
  std::size_t line = 0;
  std::string glob;  ///< over cell ids; "*" spans slashes
  Bytes bytes = 0;
};

/// A TOML file of budgets:
///
///   suite = "default"              # optional: the only suite that they are about
///   [budget]
///   "gpt2-small/*" = "11.5GiB"
struct BudgetFile {
  std::string suite;            ///< empty = any
  std::vector<Budget> budgets;  ///< at least one, in file order
};

/// @param file names the text in errors.
/// @throws UsageError "file:line: ..." on malformed TOML, an unknown key, a size that cannot be
/// read or is none, and a file without budgets.
BudgetFile parse_budgets(std::string_view text, const std::string& file);

/// @throws UsageError as parse_budgets, or where the file cannot be read.
BudgetFile read_budgets(const std::filesystem::path& file);

}  // namespace highwater
