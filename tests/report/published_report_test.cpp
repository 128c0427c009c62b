#include "harness/report/published_report.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using namespace literals;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;

PublishedNumber number_of(const std::string& technique) {
  return {.cell = sample_id(technique),
          .setting = "batch 4",
          .printed = "100 MB",
          .bytes = 100_MiB,
          .metrics = {"peak_allocated_bytes"},
          .source = "a paper",
          .differs = "another card"};
}

std::vector<std::string> row_of(const PublishedNumber& number, const CellRecord& record) {
  return published_table(sample_run({record}), std::span(&number, 1)).rows.at(0);
}

TEST(PublishedReport, PutsPublishedPredictedAndSimulatedSideBySide) {
  CellRecord record = sample_record("save", 90_MiB);
  record.outcome.prediction = {{"parameters_bytes", 10_MiB},
                               {"gradients_bytes", 10_MiB},
                               {"optimizer_state_bytes", 20_MiB},
                               {"activations_after_forward_bytes", 40_MiB}};
  EXPECT_EQ(row_of(number_of("save"), record),
            (std::vector<std::string>{"batch 4", "100 MB", "80.0 MiB", "90.0 MiB", "-10.0 %",
                                      "peak_allocated_bytes", "another card", sample_id("save"),
                                      "a paper"}));
}

TEST(PublishedReport, BytesOutsideTheAllocatorAreAddedToBothSides) {
  PublishedNumber number = number_of("save");
  number.outside = 15_MiB;
  const auto row = row_of(number, sample_record("save", 90_MiB));
  EXPECT_EQ(row.at(3), "105.0 MiB");
  EXPECT_EQ(row.at(4), "+5.0 %");
  EXPECT_EQ(row.at(5), "peak_allocated_bytes + context of 15.0 MiB");
}

TEST(PublishedReport, AMetricCanBeSubtracted) {
  PublishedNumber number = number_of("save");
  number.metrics = {"peak_allocated_bytes", "-parameters_bytes"};
  CellRecord record = sample_record("save", 90_MiB);
  record.outcome.metrics["parameters_bytes"] = 20_MiB;
  EXPECT_EQ(row_of(number, record).at(3), "70.0 MiB");
  EXPECT_EQ(row_of(number, record).at(5), "peak_allocated_bytes - parameters_bytes");
}

TEST(PublishedReport, BothEndsOfABoundedCellAreCompared) {
  CellRecord record = sample_record("save", 90_MiB);
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"peak_allocated_bytes", 120_MiB}};
  EXPECT_EQ(row_of(number_of("save"), record).at(4), "-10.0 to +20.0 %");
}

Table table_of_two(const PublishedNumber& number) {
  CellRecord bounded = sample_record("save", 60_MiB);
  bounded.outcome.certainty = Certainty::bounded;
  bounded.outcome.high = {{"peak_allocated_bytes", 80_MiB}};
  const RunRecord run = sample_run({bounded, sample_record("baseline", 240_MiB)});
  return published_table(run, std::span(&number, 1));
}

TEST(PublishedReport, ANumberOfTwoCellsIsWhatTheFirstSaves) {
  PublishedNumber number = number_of("save");
  number.against = sample_id("baseline");
  const auto row = table_of_two(number).rows.at(0);
  EXPECT_EQ(row.at(3), "160.0 MiB to 180.0 MiB");
  EXPECT_EQ(row.at(4), "+60.0 to +80.0 %");
  EXPECT_EQ(row.at(7), sample_id("save") + " against " + sample_id("baseline"));
}

TEST(PublishedReport, OrHowManyTimesMoreTheSecondTakes) {
  PublishedNumber number = number_of("save");
  number.against = sample_id("baseline");
  number.factor = 2;
  const auto row = table_of_two(number).rows.at(0);
  EXPECT_EQ(row.at(3), "3.0 x to 4.0 x");
  EXPECT_EQ(row.at(4), "+50.0 to +100.0 %");
}

TEST(PublishedReport, ASecondCellThatIsNotThereIsSaid) {
  PublishedNumber number = number_of("save");
  number.against = sample_id("other");
  EXPECT_EQ(row_of(number, sample_record("save", 90_MiB)).at(3), "not in this run");
}

TEST(PublishedReport, ACellWithoutANumberSaysWhy) {
  EXPECT_EQ(row_of(number_of("other"), sample_record("save", 1)).at(3), "not in this run");
  CellRecord record = sample_record("save", 1);
  record.outcome = {};
  record.outcome.kind = OutcomeKind::skipped;
  record.outcome.reason = "no cuDNN";
  EXPECT_EQ(row_of(number_of("save"), record).at(3), "skipped: no cuDNN");
}

TEST(PublishedReport, AnUnknownMetricIsRefusedWithTheNearest) {
  PublishedNumber number = number_of("save");
  number.metrics = {"peak_alocated_bytes"};
  EXPECT_THROW(row_of(number, sample_record("save", 1)), UsageError);
}

}  // namespace
}  // namespace highwater
