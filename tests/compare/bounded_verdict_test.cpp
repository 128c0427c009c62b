// Both ends of a bounded cell: the low one decides, the high one warns.

#include <gtest/gtest.h>

#include "harness/compare/verdict.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using enum VerdictKind;
using testing_fakes::sample_record;
using testing_fakes::sample_run;
using testing_fakes::verdict_on;

CellRecord bounded_record(std::int64_t low, std::int64_t high) {
  CellRecord record = sample_record("baseline", low);
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"peak_allocated_bytes", high}};
  return record;
}

Verdict judge_bounded(const CellRecord& before, const CellRecord& after) {
  const Baselines baselines = baselines_of(sample_run({before}));
  return verdict_on(judge(sample_run({after}), baselines), cell_id(after.cell));
}

TEST(BoundedVerdict, EqualEndsAreUnchangedWithoutAWord) {
  const Verdict verdict = judge_bounded(bounded_record(1_GiB, 2_GiB), bounded_record(1_GiB, 2_GiB));
  EXPECT_EQ(verdict.kind, unchanged);
  EXPECT_EQ(explanation(verdict), "");
}

TEST(BoundedVerdict, TheLowEndDecides) {
  EXPECT_EQ(judge_bounded(bounded_record(1_GiB, 2_GiB), bounded_record(1_GiB + 1, 2_GiB)).kind,
            regressed);
}

TEST(BoundedVerdict, TheHighEndOnlyWarns) {
  const Verdict verdict = judge_bounded(bounded_record(1_GiB, 2_GiB), bounded_record(1_GiB, 3_GiB));
  EXPECT_EQ(verdict.kind, unchanged);
  EXPECT_EQ(explanation(verdict),
            "warning: the high end of peak_allocated_bytes 2.00 GiB -> 3.00 GiB "
            "(+1,073,741,824 B)");
}

TEST(BoundedVerdict, ANumberThatIsNoLongerKnownWarns) {
  const Verdict verdict =
      judge_bounded(sample_record("baseline", 1_GiB), bounded_record(1_GiB, 2_GiB));
  EXPECT_EQ(verdict.kind, unchanged);
  EXPECT_NE(explanation(verdict).find("1.00 GiB -> 2.00 GiB"), std::string::npos);
}

TEST(BoundedVerdict, ACertaintyThatContradictsTheRestFails) {
  CellRecord record = bounded_record(1_GiB, 2_GiB);
  record.outcome.high = {};
  EXPECT_EQ(judge_bounded(bounded_record(1_GiB, 2_GiB), record).kind, failed);
}

}  // namespace
}  // namespace highwater
