#include "harness/export/markdown_summary.hpp"

#include <gtest/gtest.h>

#include "harness/core/bytes.hpp"
#include "tests/export/export_sample.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

using namespace literals;

TEST(MarkdownExport, CountsTheVerdictsWorstFirst) {
  const std::string text =
      SampleExport({sample_record("a", 1), sample_record("b", 2), sample_record("c", 2)},
                   {sample_record("a", 1), sample_record("b", 1), sample_record("c", 1)})
          .text("markdown");
  const auto regressed = text.find("\n| regressed | 2 | ");
  EXPECT_NE(regressed, std::string::npos) << text;
  EXPECT_LT(regressed, text.find("\n| unchanged | 1 | "));
}

TEST(MarkdownExport, ACellThatMovedHasItsPeakBeforeAfterAndTheChange) {
  const std::string text =
      SampleExport({sample_record("save", 3_GiB)}, {sample_record("save", 2_GiB)}).text("markdown");
  EXPECT_TRUE(says(text, "<tr><td><code>" + sample_id("save") +
                             "</code></td><td>regressed</td><td>2.00 GiB</td><td>3.00 GiB</td>"
                             "<td>+1.00 GiB</td><td><code>peak_allocated_bytes 2.00 GiB"))
      << text;
}

TEST(MarkdownExport, BothEndsOfABoundedPeakAreShown) {
  const std::string text = SampleExport({bounded_record("save", 2_GiB, 3_GiB)}).text("markdown");
  EXPECT_TRUE(says(text, "<td>new</td><td>-</td><td>2.00 GiB to 3.00 GiB</td><td>-</td>")) << text;
}

TEST(MarkdownExport, ACellThatTheRunLacksHasItsPeakBefore) {
  const std::string text = SampleExport({}, {sample_record("gone", 2_GiB)}).text("markdown");
  EXPECT_TRUE(says(text, "<td>missing</td><td>2.00 GiB</td><td>-</td><td>-</td>")) << text;
}

TEST(MarkdownExport, UnchangedAndSkippedCellsAreFolded) {
  const std::string text =
      SampleExport({sample_record("a", 1), unmeasured_record("b", OutcomeKind::skipped, "no card")},
                   {sample_record("a", 1)})
          .text("markdown");
  const auto fold = text.find("<details>\n<summary>2 unchanged, skipped or refused</summary>\n");
  EXPECT_NE(fold, std::string::npos) << text;
  EXPECT_LT(fold, text.find(sample_id("a")));
  EXPECT_LT(fold, text.find("<code>no card</code>"));
}

TEST(MarkdownExport, HostileNamesAndReasonsStayInsideCodeAndOneBlock) {
  const auto record = unmeasured_record("<img src=x>@you", OutcomeKind::failed,
                                        "a</code>\n\n# b [c](https:d) <script>`|` #1");
  const std::string text = SampleExport({record}).text("markdown");
  EXPECT_TRUE(says(text, "<code>m/full/&lt;img src=x&gt;@you/sim:h200</code>")) << text;
  EXPECT_TRUE(
      says(text, "<code>failed: a&lt;/code&gt;  # b [c](https:d) &lt;script&gt;`|` #1</code>"))
      << text;
}

TEST(MarkdownExport, TextFromTheHeaderIsNoMarkdownEither) {
  SampleExport sample({});
  sample.run.header.created = "@you\n\n# <b>";
  EXPECT_TRUE(says(sample.text("markdown"), "<code>@you  # &lt;b&gt;</code>"));
}

std::vector<CellRecord> many_records(std::size_t count, const std::string& reason) {
  std::vector<CellRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    records.push_back(unmeasured_record("t" + std::to_string(i), OutcomeKind::failed, reason));
  }
  return records;
}

TEST(MarkdownExport, NeverExceedsTheLimitAndCountsWhatDoesNotFit) {
  auto records = many_records(2000, std::string(5000, '"'));
  records.push_back(sample_record("fine", 1));
  const std::string text = SampleExport(records, {sample_record("fine", 1)}).text("markdown");
  EXPECT_LE(text.size(), kMarkdownLimit);
  EXPECT_GT(text.size(), kMarkdownLimit - 4096);
  std::size_t rows = 0;
  for (auto at = text.find("<td>failed</td>"); at != std::string::npos;
       at = text.find("<td>failed</td>", at + 1)) {
    ++rows;
  }
  EXPECT_TRUE(says(text, "and " + std::to_string(2000 - rows) + " more")) << text.substr(60000);
  EXPECT_TRUE(says(text, "| failed | 2000 |"));
  EXPECT_TRUE(text.ends_with("</table>\n</details>\n"));
}

TEST(MarkdownExport, FillsTheRoomWithWhatPassedAsWell) {
  std::vector<CellRecord> records;
  for (int i = 0; i < 2000; ++i) records.push_back(sample_record("t" + std::to_string(i), 1));
  const std::string text = SampleExport(records, records).text("markdown");
  EXPECT_LE(text.size(), kMarkdownLimit);
  EXPECT_GT(text.size(), kMarkdownLimit - 512);
}

}  // namespace
}  // namespace highwater
