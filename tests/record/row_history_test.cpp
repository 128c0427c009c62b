#include "harness/record/row_history.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

std::string row(const std::string& cell, const std::string& rest,
                const std::string& metric = "peak_allocated_bytes") {
  return "{\"cell\":\"" + cell + "\",\"metric\":\"" + metric + "\"," + rest +
         ",\"date\":\"2026-01-01\",\"reason\":\"why\"}\n";
}

const std::string kFile =
    "\ndiff --git a/bed/default.jsonl b/bed/default.jsonl\nindex 1..2 100644\n"
    "--- a/bed/default.jsonl\n+++ b/bed/default.jsonl\n@@ -1 +1 @@\n";

TEST(RowHistory, JoinsBothSidesOfAChange) {
  const auto changes =
      row_history("commit abc1234 2026-02-03\n" + kFile + "-" + row("a/b", "\"value\":100") + "-" +
                      row("a/c", "\"value\":7") + "+" +
                      row("a/b", "\"value\":110,\"anchor\":100,\"tolerance\":3"),
                  "a/b");
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].date, "2026-02-03");
  EXPECT_EQ(changes[0].commit, "abc1234");
  EXPECT_EQ(changes[0].testbed, "bed");
  EXPECT_EQ(changes[0].before->value, 100);
  EXPECT_EQ(changes[0].after->value, 110);
  EXPECT_EQ(changes[0].after->anchor, 100);
  EXPECT_EQ(changes[0].after->tolerance, 3);
}

TEST(RowHistory, KeepsCommitsFilesAndMetricsApart) {
  const auto changes =
      row_history("commit 2 2026-02-04\n" + kFile + "-" + row("a", "\"value\":1") + "+" +
                      row("b", "\"value\":2") +
                      "\ndiff --git a/cpu/default.jsonl b/cpu/default.jsonl\n--- /dev/null\n"
                      "+++ b/cpu/default.jsonl\n@@ -0,0 +1 @@\n+" +
                      row("a", "\"value\":3") + "+" + row("a", "\"value\":0", "leak_bytes") +
                      "commit 1 2026-02-03\n" + kFile + "+" + row("a", "\"value\":1"),
                  "a");
  ASSERT_EQ(changes.size(), 4U);
  EXPECT_FALSE(changes[0].after.has_value());
  EXPECT_EQ(changes[1].testbed, "cpu");
  EXPECT_EQ(changes[1].metric, "leak_bytes");
  EXPECT_EQ(changes[2].after->value, 3);
  EXPECT_EQ(changes[3].commit, "1");
}

TEST(RowHistory, ARowThatOnlyChangedItsSchemaDidNotChange) {
  const std::string log = "commit 1 2026-02-03\n" + kFile + "-" + row("a", "\"value\":1") + "+" +
                          row("a", "\"value\":1,\"anchor\":1,\"tolerance\":0");
  EXPECT_TRUE(row_history(log, "a").empty());
}

TEST(RowHistory, ANewAnchorAloneIsAChange) {
  const std::string log = "commit 1 2026-02-03\n" + kFile + "-" +
                          row("a", "\"value\":9,\"anchor\":1,\"tolerance\":0") + "+" +
                          row("a", "\"value\":9,\"anchor\":9,\"tolerance\":0");
  EXPECT_EQ(row_history(log, "a").size(), 1U);
}

TEST(RowHistory, PassesOverWhatIsNoRow) {
  EXPECT_TRUE(row_history("commit 1 2026-02-03\n" + kFile +
                              "+<<<<<<< HEAD\n+{\"cell\":\"a\"}\n+{\"cell\":\n+=======\n+\n-[]",
                          "a")
                  .empty());
  EXPECT_TRUE(row_history("commit ", "a").empty());
}

}  // namespace
}  // namespace highwater
