#include <gtest/gtest.h>

#include "harness/compare/accept.hpp"
#include "harness/compare/soundness.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using enum VerdictKind;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;
using testing_fakes::verdict_on;

/// A row of a technique that says it leaks; steps that leak do not agree.
CellRecord leaking_by_design(std::int64_t leak) {
  CellRecord record = sample_record("leaky", 100_MiB);
  record.outcome.attributes["leaks"] = "by design";
  record.outcome.attributes["steady"] = leak == 0 ? "true" : "false";
  record.outcome.metrics["leak_bytes"] = leak;
  return record;
}

Verdict judged(const RunRecord& run, const Baselines& baselines) {
  return verdict_on(judge(run, baselines), sample_id("leaky"));
}

TEST(DesignedLeak, IsUnchangedWhereItLeaksAsAccepted) {
  const RunRecord run = sample_run({leaking_by_design(512)});
  EXPECT_EQ(judged(run, baselines_of(run)).kind, unchanged);
}

TEST(DesignedLeak, IsNewAndNotRegressedWithoutABaseline) {
  EXPECT_EQ(judged(sample_run({leaking_by_design(512)}), {}).kind, new_cell);
}

TEST(DesignedLeak, ThatGrewIsRegressed) {
  const Baselines before = baselines_of(sample_run({leaking_by_design(512)}));
  EXPECT_EQ(judged(sample_run({leaking_by_design(1024)}), before).kind, regressed);
}

TEST(DesignedLeak, ThatStoppedIsRegressedAndOnlyARepairHelps) {
  const RunRecord run = sample_run({leaking_by_design(0)});
  const Verdict verdict = judged(run, baselines_of(run));
  EXPECT_EQ(verdict.kind, regressed);
  EXPECT_EQ(verdict.remedy, Remedy::repair);
  EXPECT_EQ(verdict.reason, "does not leak, though its technique says that it does");
}

TEST(DesignedLeak, IsSoundWhereItLeaksAndOnlyThere) {
  const auto fault = [](std::int64_t leak) {
    const RunRecord run = sample_run({leaking_by_design(leak)});
    return unsoundness(run.cells.at(0), run);
  };
  EXPECT_EQ(fault(512), "");
  EXPECT_NE(fault(0), "");
}

TEST(DesignedLeak, CanBeAccepted) {
  const auto accepted = accept_run({"bed", "default", {}}, sample_run({leaking_by_design(512)}),
                                   {.date = "2026-02-01", .reason = "first"});
  EXPECT_TRUE(accepted.kept.empty());
  EXPECT_EQ(accepted.file.rows.size(), 3U);
}

// A leak excuses no other fault: such a row was accepted once, with its promise broken.
TEST(DesignedLeak, DoesNotExcuseABrokenPromise) {
  CellRecord leaky = leaking_by_design(512);
  leaky.outcome.promises = {{"peak_allocated_bytes", 1}};
  const RunRecord run = sample_run({sample_record("baseline", 100_MiB), leaky});
  EXPECT_NE(unsoundness(run.cells.at(1), run), "");
  EXPECT_EQ(judged(run, baselines_of(run)).kind, regressed);
}

}  // namespace
}  // namespace highwater
