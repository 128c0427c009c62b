#include "harness/config/budget_file.hpp"

#include <algorithm>

#include "harness/config/toml_place.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"

namespace highwater {
namespace {

std::vector<Budget> read_table(const Place& at) {
  const toml::table* table = at.node.as_table();
  if (table == nullptr) at.refuse("must be a table of \"glob\" = \"size\"");
  std::vector<Budget> budgets;
  for (const auto& [key, node] : *table) {
    const std::string glob(key.str());
    const Place place{at.file, at.path + ".\"" + glob + "\"", node};
    const Bytes bytes = read_size(place);
    if (bytes < 1) place.refuse("must be at least one byte");
    budgets.push_back({at.file, key.source().begin.line, glob, bytes});
  }
  std::ranges::sort(budgets, {}, &Budget::line);
  return budgets;
}

}  // namespace

BudgetFile parse_budgets(std::string_view text, const std::string& file) {
  const toml::table table = parse_toml(text, file);
  const Place whole{file, "", table};
  BudgetFile read;
  for (const auto& [key, node] : table) {
    if (key.str() == "suite") {
      read.suite = read_text({file, "suite", node});
    } else if (key.str() == "budget") {
      read.budgets = read_table({file, "budget", node});
    } else {
      whole.refuse_key(key, {"budget", "suite"});
    }
  }
  if (read.budgets.empty()) {
    throw UsageError(file + ":1: holds no budget; write a table [budget] of \"glob\" = \"size\"");
  }
  return read;
}

BudgetFile read_budgets(const std::filesystem::path& file) {
  return parse_budgets(read_file(file), file.string());
}

}  // namespace highwater
