#include "harness/report/advice.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using enum VerdictKind;
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

TEST(Advice, OnAValueBeyondItsAnchorIsToApproveANewOne) {
  Baselines baselines = before();
  for (BaselineRow& row : baselines.at("bed").rows) row.anchor = row.value.low;
  EXPECT_EQ(advice_on(sample_run({sample_record("baseline", 111)}), baselines),
            "Too far above the level that was last approved to be accepted row by row; if the new "
            "level is meant, approve it and commit it:\n"
            "  file:    b/bed/default.jsonl\n"
            "  command: highwater baseline accept r --baselines b --new-anchor --reason \"...\"\n");
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

TEST(Advice, OnALeakOrABrokenPromiseIsToLookIntoTheCell) {
  CellRecord leaky = sample_record("baseline", 200);
  leaky.outcome.metrics["leak_bytes"] = 8;
  CellRecord save = sample_record("save", 200);
  save.outcome.promises = {{"peak_allocated_bytes", 1}};
  EXPECT_EQ(advice_on(sample_run({leaky, save}), before()),
            "These cannot be accepted; find what is wrong and fix it:\n"
            "  file:    r/records.jsonl\n"
            "  m/full/baseline/sim:h200: highwater inspect m baseline --preset full --device "
            "sim:h200\n"
            "  m/full/save/sim:h200: highwater inspect m save --preset full --device sim:h200\n");
}

TEST(Advice, OnACellThatWasPlannedButIsNotThereIsToGoOnWithTheRun) {
  RunRecord run = sample_run({sample_record("baseline", 100)});
  run.header.settings["planned_cells"] = {sample_id("baseline"), sample_id("save")};
  const std::string text = "  m/full/save/sim:h200: highwater run --resume 'a run'\n";
  for (const char* path : {"a run", "a run/records.jsonl"}) {
    EXPECT_EQ(advice(run, judge(run, before()), "b", path),
              "These cannot be accepted; find what is wrong and fix it:\n"
              "  file:    a run/records.jsonl\n" +
                  text);
  }
}

TEST(Advice, OnACellThatWasNotEvenPlannedIsToMeasureIt) {
  const Verdict verdict{sample_id("save"), missing, "is not in this run", {}, Remedy::repair, ""};
  EXPECT_EQ(advice(sample_run({}), {{verdict}}, "b", "r"),
            "These cannot be accepted; find what is wrong and fix it:\n"
            "  file:    r/records.jsonl\n"
            "  m/full/save/sim:h200: highwater run --filter m/full/save/sim:h200\n");
}

TEST(Advice, OnWhatIsAmbiguousIsToMeasureAgain) {
  const Verdict verdict{sample_id("save"), ambiguous, "a noisy number moved", {}};
  EXPECT_EQ(advice(sample_run({}), {{verdict}}, "b", "r"),
            "One run cannot tell whether these moved; measure them again:\n"
            "  file:    r/records.jsonl\n"
            "  m/full/save/sim:h200: highwater noise --filter m/full/save/sim:h200\n");
}

TEST(Advice, OnACellOfAnotherBatchIsToCompareRuns) {
  CellRecord record = sample_record("baseline", 100);
  record.cell.batch = 2;
  EXPECT_EQ(advice_on(sample_run({record}), {}),
            "No suite holds cells of another batch or capacity, so they have no baseline; hold two "
            "runs against each other:\n"
            "  file:    r/records.jsonl\n"
            "  m/full/baseline/sim:h200/batch=2: highwater compare OTHER_RUN r\n");
}

TEST(Advice, NamesTheParametersOfACell) {
  CellRecord record = sample_record("baseline", 100);
  record.cell.batch = 2;
  record.cell.capacity = 4096;
  record.outcome.metrics["leak_bytes"] = 8;
  const std::string text = advice_on(sample_run({record}), {});
  EXPECT_NE(text.find(" --device sim:h200 --batch 2 --capacity 4096B\n"), std::string::npos)
      << text;
}

TEST(CompareAdvice, NamesBothFilesAndLooksIntoWhatDiffers) {
  const RunRecord old = sample_run(
      {sample_record("baseline", 100), sample_record("save", 60), sample_record("gone", 1)});
  const RunRecord now = sample_run({sample_record("baseline", 100), sample_record("save", 61)});
  EXPECT_EQ(compare_advice(now, judge_against(old, now), "a", "b/records.jsonl"),
            "Look into what differs:\n"
            "  file:    a/records.jsonl\n"
            "  file:    b/records.jsonl\n"
            "  m/full/save/sim:h200: highwater inspect m save --preset full --device sim:h200\n"
            "  m/full/gone/sim:h200: highwater run --filter m/full/gone/sim:h200\n");
  EXPECT_EQ(compare_advice(now, judge_against(now, now), "a", "b"), "");
}

}  // namespace
}  // namespace highwater
