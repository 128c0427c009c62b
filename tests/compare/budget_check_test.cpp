#include "harness/compare/budget_check.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using enum VerdictKind;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

Budget budget(const std::string& glob, Bytes bytes, std::size_t line = 2) {
  return {"b.toml", line, glob, bytes};
}

Verdict judged(const CellRecord& record, const std::vector<Budget>& budgets) {
  const RunRecord run = sample_run({record});
  return judge(run, baselines_of(run), budgets).at(0);
}

TEST(BudgetCheck, ACellAtItsBudgetHolds) {
  EXPECT_EQ(judged(sample_record("save", 1_GiB), {budget("m/*", 1_GiB)}).kind, unchanged);
}

TEST(BudgetCheck, OneByteMoreIsRegressedAndNamesFileLineGlobBudgetAndValue) {
  const Verdict verdict = judged(sample_record("save", 1_GiB + 1), {budget("m/*", 1_GiB, 7)});
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_EQ(verdict.remedy, Remedy::repair);
  EXPECT_EQ(verdict.reason,
            "over budget: b.toml:7 allows 1.00 GiB (1,073,741,824 B) for \"m/*\", and "
            "peak_allocated_bytes is 1.00 GiB (1,073,741,825 B); make it smaller, or raise the "
            "budget there");
}

TEST(BudgetCheck, EveryGlobThatMatchesHolds) {
  const std::vector<Budget> budgets = {budget("m/*", 2), budget("*/save/*", 1, 3),
                                       budget("other/*", 1, 4)};
  EXPECT_EQ(judged(sample_record("save", 2), budgets).kind, regressed);
  EXPECT_EQ(judged(sample_record("baseline", 2), budgets).kind, unchanged);
}

TEST(BudgetCheck, OfABoundedCellTheLargerEndDecides) {
  CellRecord record = sample_record("save", 10);
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"peak_allocated_bytes", 12}};
  EXPECT_EQ(judged(record, {budget("m/*", 11)}).kind, regressed);
  record.outcome.high = {{"peak_allocated_bytes", 8}};
  EXPECT_EQ(judged(record, {budget("m/*", 9)}).kind, regressed);
}

TEST(BudgetCheck, HoldsForACellWithoutABaseline) {
  const RunRecord run = sample_run({sample_record("save", 10)});
  EXPECT_EQ(judge(run, {}, std::vector<Budget>{budget("m/*", 9)}).at(0).kind, regressed);
}

TEST(BudgetCheck, SaysNothingOfACellThatWasNotMeasured) {
  CellRecord record = sample_record("save", 10);
  record.outcome = {};
  record.outcome.kind = OutcomeKind::skipped;
  record.outcome.reason = "why not";
  EXPECT_EQ(judged(record, {budget("m/*", 9)}).kind, skipped);
}

std::string error_on(const std::string& glob, const std::vector<std::string>& cells) {
  try {
    check_globs(std::vector<Budget>{budget(glob, 1)}, cells);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BudgetCheck, AGlobThatMatchesNothingIsRefusedWithItsLineAndWhatIsNear) {
  const std::vector<std::string> cells = {"gpt2-small/full/baseline/cpu", "mlp/full/save/cpu"};
  EXPECT_EQ(error_on("mlp/*", cells), "accepted");
  EXPECT_EQ(error_on("gpt2-smal/*", cells),
            "b.toml:2: budget \"gpt2-smal/*\" matches no cell of the suite; did you mean "
            "\"gpt2-small\"? `highwater run --dry-run` lists them all");
  EXPECT_EQ(error_on("mlp/twin/*", cells),
            "b.toml:2: budget \"mlp/twin/*\" matches no cell of the suite; they look like "
            "mlp/full/save/cpu. `highwater run --dry-run` lists them all");
}

TEST(BudgetCheck, ACellThatOnlyAnotherTestbedHoldsMayBeMeant) {
  const Baselines baselines = baselines_of(sample_run({sample_record("save", 1)}));
  EXPECT_EQ(error_on("m/full/save/sim:h200", cells_of_suite({"m/twin/save/cpu"}, baselines)),
            "accepted");
}

}  // namespace
}  // namespace highwater
