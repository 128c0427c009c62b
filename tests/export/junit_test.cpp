#include <gtest/gtest.h>

#include "tests/export/export_sample.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The file of one cell with this verdict.
std::string text_of(VerdictKind kind) {
  SampleExport sample({sample_record("baseline", 1)});
  sample.verdicts[0].kind = kind;
  return sample.text("junit");
}

TEST(JUnitExport, ACasePassesWhereTheGateDoesAndIsNeverTwoThings) {
  const std::map<ExitCode, std::string> elements = {{ExitCode::ok, ""},
                                                    {ExitCode::skipped, "<skipped "}};
  for (const VerdictRow& row : verdict_table()) {
    const std::string text = text_of(row.kind);
    const auto known = elements.find(row.code);
    std::string wanted = known == elements.end() ? "<failure " : known->second;
    if (row.kind == VerdictKind::failed) wanted = "<error ";
    for (const std::string element : {"<failure ", "<error ", "<skipped "}) {
      EXPECT_EQ(count(text, element), element == wanted ? 1U : 0U) << row.name << " " << element;
    }
    EXPECT_EQ(says(text, "type=\"" + std::string(row.name) + "\""), !wanted.empty()) << row.name;
  }
}

TEST(JUnitExport, TheCountsAreThoseOfTheCases) {
  const SampleExport sample(
      {sample_record("baseline", 2), unmeasured_record("save", OutcomeKind::failed, "crash"),
       unmeasured_record("half", OutcomeKind::skipped, "no card")},
      {sample_record("baseline", 1), sample_record("gone", 1)});
  const std::string text = sample.text("junit");
  EXPECT_TRUE(says(text, "<testsuites name=\"highwater\" tests=\"4\" failures=\"2\" errors=\"1\">"))
      << text;
  EXPECT_TRUE(says(text,
                   "<testsuite name=\"default\" tests=\"4\" failures=\"2\" errors=\"1\" "
                   "skipped=\"1\" timestamp=\"2026-01-31T12:00:00Z\">"))
      << text;
  EXPECT_EQ(count(text, "<testcase "), 4U);
}

TEST(JUnitExport, AFailureSaysWhatTheGateSays) {
  const std::string text =
      SampleExport({sample_record("save", 2 << 20)}, {sample_record("save", 1 << 20)})
          .text("junit");
  EXPECT_TRUE(says(text, "<failure message=\"peak_allocated_bytes 1.0 MiB -&gt; 2.0 MiB")) << text;
}

TEST(JUnitExport, MetricsBothEndsAndAttributesAreProperties) {
  const std::string text = SampleExport({bounded_record("save", 10, 14)}).text("junit");
  EXPECT_TRUE(
      says(text, "<testcase name=\"" + sample_id("save") + "\" classname=\"highwater.default\">"));
  for (const char* property :
       {"name=\"peak_allocated_bytes\" value=\"10\"",
        "name=\"peak_allocated_bytes_high\" value=\"14\"", "name=\"certainty\" value=\"bounded\"",
        "name=\"peak_phase\" value=\"forward\""}) {
    EXPECT_TRUE(says(text, std::string("<property ") + property + "/>")) << property;
  }
}

TEST(JUnitExport, HostileTextCannotLeaveItsAttribute) {
  const auto record = unmeasured_record("a<b\"", OutcomeKind::failed, "\"/><error>\x1b]]>&\x01");
  const std::string text = SampleExport({record}).text("junit");
  EXPECT_TRUE(says(text, "name=\"m/full/a&lt;b&quot;/sim:h200\"")) << text;
  EXPECT_EQ(count(text, "<error"), 1U) << text;
  EXPECT_FALSE(says(text, "]]>"));
  EXPECT_EQ(text.find_first_of("\x1b\x01"), std::string::npos);
}

}  // namespace
}  // namespace highwater
