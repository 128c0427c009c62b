#include "harness/report/verdict_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

PeakPart saved(const std::string& module, Bytes bytes, std::int64_t blocks = 1) {
  return {"saved_activations", "forward", module, "aten::gelu", blocks, bytes};
}

CellRecord profiled(const PeakProfile& profile) {
  CellRecord record = sample_record("baseline", total_bytes(profile));
  record.outcome.profile = profile;
  return record;
}

std::string lines_on(const PeakProfile& before, const PeakProfile& after) {
  const RunRecord run = sample_run({profiled(after)});
  const std::string text = verdict_lines(judge(run, baselines_of(sample_run({profiled(before)}))));
  return text.substr(text.find('\n') + 1);
}

TEST(VerdictLines, SayWhatGrewAtThePeakLargestFirst) {
  EXPECT_EQ(lines_on({saved("block.0", 4 << 20), saved("head", 100)},
                     {saved("block.0", 8 << 20, 2), saved("head", 612)}),
            "      +4.0 MiB  forward, block.0: saved activation of aten::gelu (+1 block, "
            "+4,194,304 B)\n"
            "        +512 B  forward, head: saved activation of aten::gelu (the same blocks, +512 "
            "B)\n");
}

TEST(VerdictLines, NameModulesThatGrewAlikeOnce) {
  PeakProfile before, after;
  for (int i = 0; i < 12; ++i) {
    before.push_back(saved("block." + std::to_string(i), 1024));
    after.push_back(saved("block." + std::to_string(i), 2048, 3));
  }
  EXPECT_EQ(lines_on(before, after),
            "     +12.0 KiB  forward, block.{0-11}: saved activation of aten::gelu (+24 blocks, "
            "+12,288 B)\n");
}

TEST(VerdictLines, SayWhatShrankToo) {
  EXPECT_EQ(lines_on({saved("a", 2048)}, {saved("a", 1024)}),
            "      -1.0 KiB  forward, a: saved activation of aten::gelu (the same blocks, -1,024 "
            "B)\n");
}

TEST(VerdictLines, SayNothingOfAPeakThatHasItsValueInOtherParts) {
  EXPECT_EQ(lines_on({saved("a", 100)}, {saved("b", 100)}), "");
}

TEST(VerdictLines, SumManySmallPartsToOneLine) {
  PeakProfile before = {saved("x", 1)}, after = {saved("x", 1)};
  for (int i = 0; i < 20; ++i) after.push_back(saved("m" + std::to_string(i), 1000 + i));
  const std::string text = lines_on(before, after);
  EXPECT_EQ(std::ranges::count(text, '\n'), 13);
  EXPECT_NE(text.find("in 8 smaller parts (+8,028 B)"), std::string::npos) << text;
}

TEST(GrowthText, IsOfTheCellsThatMovedAlone) {
  const RunRecord before = sample_run({profiled({saved("a", 100)}), sample_record("save", 50)});
  const RunRecord after = sample_run({profiled({saved("a", 612)}), sample_record("save", 60)});
  EXPECT_EQ(
      growth_text(judge_against(before, after)),
      sample_id("baseline") +
          "\n        +512 B  forward, a: saved activation of aten::gelu (the same blocks, +512 "
          "B)\n");
}

TEST(VerdictLines, SayNothingWhereTheStoredProfileIsOfAnotherRun) {
  Baselines baselines = baselines_of(sample_run({profiled({saved("a", 100)})}));
  baselines.begin()->second.profiles.begin()->second = {saved("a", 99)};
  const RunRecord run = sample_run({profiled({saved("a", 200)})});
  EXPECT_TRUE(judge(run, baselines).at(0).growth.empty());
}

}  // namespace
}  // namespace highwater
