#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/export/export_sample.hpp"

namespace highwater {
namespace {

TEST(ExportFormats, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    find_export_format("juint");
    FAIL() << "it was not refused";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown format \"juint\"; did you mean \"junit\"?");
  }
}

TEST(ExportFormats, TheDocumentSaysOfEachWhatItsTableSays) {
  const std::string document = read_file(HIGHWATER_SOURCE_DIR "/docs/exports.md");
  for (const ExportFormat& format : export_formats()) {
    const std::string line = "| `" + std::string(format.name) + "` | `" +
                             std::string(format.extension) + "` | " + std::string(format.meaning) +
                             " |";
    EXPECT_NE(document.find(line), std::string::npos) << line;
  }
}

TEST(ExportFormats, EveryOneHoldsBytesThatAreNoUtf8) {
  auto record = unmeasured_record("save", OutcomeKind::failed, "last words: \xFF");
  for (const ExportFormat& format : export_formats()) {
    EXPECT_NO_THROW(SampleExport({record}).text(std::string(format.name))) << format.name;
  }
}

TEST(JudgedCells, ACellThatTheRunLacksHasNoRecord) {
  const SampleExport sample({sample_record("baseline", 1)},
                            {sample_record("baseline", 1), sample_record("save", 1)});
  const auto cells = judged_cells({sample.run, sample.verdicts, sample.baselines});
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].record, &sample.run.cells[0]);
  EXPECT_EQ(cells[1].record, nullptr);
  EXPECT_EQ(cells[1].verdict->cell, sample_id("save"));
}

TEST(JudgedCells, AVerdictOnAnotherCellIsAMistake) {
  SampleExport sample({sample_record("baseline", 1)});
  sample.verdicts[0].cell = sample_id("save");
  EXPECT_THROW(judged_cells({sample.run, sample.verdicts, sample.baselines}), InternalError);
}

}  // namespace
}  // namespace highwater
