#include "harness/report/compare_report.hpp"

#include <gtest/gtest.h>

#include "harness/report/verdict_colour.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

Table compared(const RunRecord& before, const RunRecord& after) {
  return compare_table(before, after, judge_against(before, after));
}

TEST(CompareReport, TheWorstRowIsFirst) {
  const RunRecord before = sample_run({sample_record("gone", 100), sample_record("same", 100),
                                       sample_record("half", 1000), sample_record("more", 100),
                                       sample_record("most", 100)});
  const RunRecord after = sample_run({sample_record("same", 100), sample_record("half", 500),
                                      sample_record("more", 110), sample_record("most", 140)});
  std::vector<std::string> cells;
  for (const auto& row : compared(before, after).rows) cells.push_back(row.front());
  EXPECT_EQ(cells, (std::vector{sample_id("most"), sample_id("more"), sample_id("gone"),
                                sample_id("half"), sample_id("same")}));
}

TEST(CompareReport, BarsAreSharesOfTheLongestOne) {
  const RunRecord before = sample_run({sample_record("a", 100), sample_record("b", 100)});
  const RunRecord after = sample_run({sample_record("a", 140), sample_record("b", 80)});
  const Table table = compared(before, after);
  EXPECT_EQ(table.rows[0][5], "        │████████");
  EXPECT_EQ(table.rows[1][5], "    ████│        ");
  EXPECT_EQ(table.notes, std::vector<std::string>{"A full bar is 40.00 %."});
}

TEST(CompareReport, ABarIsAsWideWhateverItShowsAndASmallChangeIsSeen) {
  EXPECT_EQ(change_bar(0), "        │        ");
  EXPECT_EQ(change_bar(1e-9), "        │▏       ");
  EXPECT_EQ(change_bar(-1e-9), "       ▐│        ");
  EXPECT_EQ(change_bar(0.3125), "        │██▌     ");
  EXPECT_EQ(change_bar(-1), "████████│        ");
}

TEST(CompareReport, WhereNothingMovedThereAreNoBars) {
  const RunRecord run = sample_run({sample_record("a", 100)});
  const Table table = compared(run, run);
  EXPECT_EQ(table.columns.size(), 6U);
  EXPECT_TRUE(table.notes.empty());
}

TEST(CompareReport, ColumnsStayAlignedBesideBlockCharacters) {
  const RunRecord before = sample_run({sample_record("a", 100), sample_record("b", 100)});
  const RunRecord after = sample_run({sample_record("a", 140), sample_record("b", 100)});
  const std::string text = to_text(compared(before, after));
  EXPECT_NE(text.find("+40.00 %          │████████  regressed"), std::string::npos) << text;
  EXPECT_NE(text.find(" +0.00 %          │          unchanged"), std::string::npos) << text;
}

TEST(VerdictColour, RowsAreColouredAndHeadingsAndNotesAreNot) {
  const Table table{"", {{"cell"}, {"verdict"}}, {{"a", "regressed: x"}, {"b", "new"}}, {"note"}};
  EXPECT_EQ(coloured_text(table),
            "cell  verdict\n\033[31ma     regressed: x\033[0m\nb     new\nnote\n");
}

}  // namespace
}  // namespace highwater
