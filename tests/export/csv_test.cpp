#include <gtest/gtest.h>

#include "harness/measure/metric.hpp"
#include "tests/export/export_sample.hpp"

namespace highwater {
namespace {

/// Fields of a line that holds no quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  for (const char c : line) {
    if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\r\n", at), text.size());
    found.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return found;
}

std::string field(const std::string& text, std::size_t row, const std::string& column) {
  const auto rows = lines(text);
  const auto names = fields(rows.at(0));
  const auto at = std::ranges::find(names, column);
  if (at == names.end()) return "no column " + column;
  return fields(rows.at(row + 1)).at(static_cast<std::size_t>(at - names.begin()));
}

TEST(CsvExport, EveryMetricHasAColumnThatEndsInItsUnitAndOneForTheHighEnd) {
  const auto names = fields(lines(SampleExport({}).text("csv")).at(0));
  for (const Metric& metric : metrics()) {
    const std::string unit = "_" + std::string(unit_name(metric.unit));
    std::string name(metric.id);
    if (!name.ends_with(unit)) name += unit;
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    EXPECT_EQ(std::ranges::count(names, name + "_high"), 1) << name;
  }
}

TEST(CsvExport, AFieldOfACellIsAColumn) {
  auto record = sample_record("baseline", 512);
  record.cell.batch = 4;
  const std::string text = SampleExport({record}).text("csv");
  EXPECT_EQ(field(text, 0, "cell"), sample_id("baseline") + "/batch=4");
  EXPECT_EQ(field(text, 0, "model"), "m");
  EXPECT_EQ(field(text, 0, "batch_samples"), "4");
  EXPECT_EQ(field(text, 0, "capacity_bytes"), "");
  EXPECT_EQ(field(text, 0, "certainty"), "exact");
}

TEST(CsvExport, ZeroIsZeroAndWhatWasNotMeasuredIsEmpty) {
  const std::string text = SampleExport({sample_record("baseline", 512)}).text("csv");
  EXPECT_EQ(field(text, 0, "peak_allocated_bytes"), "512");
  EXPECT_EQ(field(text, 0, "leak_bytes"), "0");
  EXPECT_EQ(field(text, 0, "inputs_bytes"), "");
}

TEST(CsvExport, TheHighEndStandsBesideTheLowOne) {
  const std::string text = SampleExport({bounded_record("save", 10, 14)}).text("csv");
  EXPECT_EQ(field(text, 0, "peak_allocated_bytes"), "10");
  EXPECT_EQ(field(text, 0, "peak_allocated_bytes_high"), "14");
  EXPECT_EQ(field(text, 0, "peak_reserved_bytes_high"), "");
}

TEST(CsvExport, ACellThatTheRunLacksHasARow) {
  const std::string text = SampleExport({sample_record("baseline", 1)},
                                        {sample_record("baseline", 1), sample_record("save", 1)})
                               .text("csv");
  ASSERT_EQ(lines(text).size(), 3U);
  EXPECT_EQ(field(text, 1, "cell"), sample_id("save"));
  EXPECT_EQ(field(text, 1, "verdict"), "missing");
  EXPECT_EQ(field(text, 1, "peak_allocated_bytes"), "");
}

TEST(CsvExport, CommasQuotesAndLineEndsAreQuoted) {
  const auto record = unmeasured_record("save", OutcomeKind::failed, "a,\"b\"\nc");
  const std::string text = SampleExport({record}).text("csv");
  EXPECT_NE(text.find(",failed,\"a,\"\"b\"\"\nc\","), std::string::npos) << text;
}

}  // namespace
}  // namespace highwater
