#include "harness/config/budget_file.hpp"
#include "harness/core/error.hpp"
#include "tests/fuzz/reader.hpp"

namespace highwater::fuzz {
namespace {

bool takes(std::string_view bytes) {
  try {
    const BudgetFile file = parse_budgets(bytes, "budgets.toml");
    require(!file.budgets.empty(), "a file that was taken holds a budget");
    for (const Budget& budget : file.budgets) require(budget.bytes >= 1, "a budget is some bytes");
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

const RegisterReader reader({"budget", &takes});

}  // namespace
}  // namespace highwater::fuzz
