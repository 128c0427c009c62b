#include "harness/report/verdict_report.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

const std::string kAccept =
    "If the change is meant, update the baseline and commit it:\n"
    "  file:    b/bed/default.jsonl\n"
    "  command: highwater baseline accept r --baselines b --reason \"...\"\n";

std::string advice_on(const RunRecord& run, const Baselines& baselines) {
  return advice(run, judge(run, baselines), "b", "r");
}

Baselines before() { return baselines_of(sample_run({sample_record("baseline", 100)})); }

TEST(Advice, IsToAcceptWhatMovedOrIsNew) {
  EXPECT_EQ(advice_on(sample_run({sample_record("baseline", 101)}), before()), kAccept);
  EXPECT_EQ(advice_on(sample_run({sample_record("baseline", 99)}), before()), kAccept);
  EXPECT_EQ(advice_on(sample_run({sample_record("baseline", 100)}), {}), kAccept);
}

TEST(Advice, IsNothingWherePassed) {
  EXPECT_EQ(advice_on(sample_run({sample_record("baseline", 100)}), before()), "");
}

TEST(Advice, OnAMissingCellIsToPruneIfItLeftTheSuite) {
  EXPECT_EQ(advice_on(sample_run({}), before()),
            "If the missing cells are gone from the suite, remove their rows and commit it:\n"
            "  file:    b/bed/default.jsonl\n"
            "  command: highwater baseline accept r --baselines b --prune --reason \"...\"\n");
}

TEST(Advice, OnALeakOrABrokenPromiseIsToFixIt) {
  CellRecord leaky = sample_record("baseline", 200);
  leaky.outcome.metrics["leak_bytes"] = 8;
  CellRecord save = sample_record("save", 200);
  save.outcome.promises = {{"peak_allocated_bytes", 1}};
  EXPECT_EQ(advice_on(sample_run({leaky, save}), before()),
            "These cannot be accepted; find what is wrong and fix it:\n  " + sample_id("baseline") +
                "\n  " + sample_id("save") + "\n");
}

TEST(Advice, OnACellOfAnotherBatchIsNothing) {
  CellRecord record = sample_record("baseline", 100);
  record.cell.batch = 2;
  EXPECT_EQ(advice_on(sample_run({record}), {}), "");
}

}  // namespace
}  // namespace highwater
