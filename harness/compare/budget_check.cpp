#include "harness/compare/budget_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/glob.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {
namespace {

const std::string kPeak = "peak_allocated_bytes";

std::string both_forms(Bytes bytes) {
  return fmt::format("{} ({} B)", format_bytes(bytes), group_digits(bytes));
}

std::string over_text(const Budget& budget, Bytes value) {
  return fmt::format(
      "over budget: {}:{} allows {} for \"{}\", and {} is {}; make it smaller, or "
      "raise the budget there",
      budget.file, budget.line, both_forms(budget.bytes), budget.glob, kPeak, both_forms(value));
}

// Ids differ from a mistyped glob in too much to be near; their first words, the models, do not.
std::string hint(const std::string& glob, const std::vector<std::string>& cells) {
  if (cells.empty()) return "it has none.";
  const auto model = [](const std::string& text) { return text.substr(0, text.find('/')); };
  std::set<std::string> models;
  for (const std::string& cell : cells) models.insert(model(cell));
  const auto near = nearest(model(glob), {models.begin(), models.end()});
  if (!near.empty() && !models.contains(model(glob))) {
    return fmt::format("did you mean \"{}\"?", near.front());
  }
  const auto same = std::ranges::find(cells, model(glob), model);
  return fmt::format("they look like {}.", same == cells.end() ? cells.front() : *same);
}

}  // namespace

std::vector<MetricLine> check_budgets(const CellRecord& record, std::span<const Budget> budgets) {
  std::vector<MetricLine> lines;
  const auto ends = ends_of(&record, kPeak);
  if (!ends) return lines;
  const Bytes value = std::max(ends->low, ends->highest());
  for (const Budget& budget : budgets) {
    if (!matches_glob(budget.glob, cell_id(record.cell)) || value <= budget.bytes) continue;
    lines.push_back({.metric = kPeak,
                     .kind = VerdictKind::regressed,
                     .baseline = std::nullopt,
                     .value = *ends,
                     .note = over_text(budget, value),
                     .warning = "",
                     .broken = true});
  }
  return lines;
}

void check_globs(std::span<const Budget> budgets, const std::vector<std::string>& cells) {
  for (const Budget& budget : budgets) {
    const auto matches = [&](const std::string& cell) { return matches_glob(budget.glob, cell); };
    if (std::ranges::any_of(cells, matches)) continue;
    throw UsageError(
        fmt::format("{}:{}: budget \"{}\" matches no cell of the suite; {} "
                    "`highwater run --dry-run` lists them all",
                    budget.file, budget.line, budget.glob, hint(budget.glob, cells)));
  }
}

std::vector<std::string> cells_of_suite(std::vector<std::string> own, const Baselines& baselines) {
  for (const auto& [testbed, file] : baselines) {
    for (const BaselineRow& row : file.rows) own.push_back(row.cell);
  }
  return own;
}

}  // namespace highwater
