#include "harness/record/baseline_file.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_row;

const std::string kFirst =
    "{\"schema\":\"highwater.baseline/3\",\"testbed\":\"bed\",\"suite\":\"default\"}\n";

std::string row(const std::string& cell, const std::string& metric = "leak_bytes",
                const std::string& value = "0") {
  return "{\"cell\":\"" + cell + "\",\"metric\":\"" + metric + "\",\"value\":" + value +
         ",\"anchor\":0,\"tolerance\":0,\"date\":\"2026-01-31\",\"reason\":\"first\"}\n";
}

/// A peak of 100 with this anchor and tolerance.
std::string anchored_row(const std::string& anchor, const std::string& tolerance) {
  return "{\"cell\":\"a\",\"metric\":\"peak_allocated_bytes\",\"value\":100,\"anchor\":" + anchor +
         ",\"tolerance\":" + tolerance + ",\"date\":\"2026-01-31\",\"reason\":\"first\"}\n";
}

class BaselineFiles : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return baseline_path(folder_.path(), "bed", "default"); }

  std::string error_on(const std::string& text) const {
    write_file_atomically(path(), text);
    try {
      read_baseline(path());
    } catch (const UsageError& error) {
      EXPECT_EQ(read_file(path()), text) << "nothing may be overwritten";
      return std::string(error.what()).substr(path().string().size());
    }
    return "accepted";
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  testing_fakes::TemporaryFolder folder_;
};

TEST_F(BaselineFiles, RoundTripSorted) {
  const BaselineFile file{"bed",
                          "default",
                          {sample_row("b", "leak_bytes", 0),
                           {.cell = "a",
                            .metric = "peak_allocated_bytes",
                            .value = {9, 11},
                            .anchor = 8,
                            .tolerance = 5,
                            .date = "2026-01-31",
                            .reason = "x"},
                           sample_row("a", "leak_bytes", 0)}};
  write_file_atomically(path(), baseline_text(file));
  const BaselineFile read = read_baseline(path());
  EXPECT_EQ(read.testbed, "bed");
  EXPECT_EQ(read.rows, (std::vector<BaselineRow>{file.rows[2], file.rows[1], file.rows[0]}));
}

TEST_F(BaselineFiles, MergeConflictMarkersAreRefusedWithTheirLine) {
  for (const char* marker : {"<<<<<<< HEAD\n", "=======\n", ">>>>>>> branch\n", "||||||| base\n"}) {
    EXPECT_EQ(
        error_on(kFirst + row("a") + marker).rfind(":3: merge-conflict marker: keep one side", 0),
        0U);
    EXPECT_EQ(error_on(marker + kFirst).rfind(":1: merge-conflict marker", 0), 0U);
  }
}

TEST_F(BaselineFiles, ARowThatStandsTwiceIsRefused) {
  EXPECT_EQ(error_on(kFirst + row("a") + row("a", "leak_bytes", "5")),
            ":3: leak_bytes of a stands twice; keep one of the two lines");
}

TEST_F(BaselineFiles, ARowOutOfOrderIsRefused) {
  EXPECT_EQ(error_on(kFirst + row("b") + row("a")),
            ":3: leak_bytes of a is out of order; rows are sorted by cell, then metric");
}

TEST_F(BaselineFiles, AnUnknownMetricIsRefused) {
  EXPECT_EQ(error_on(kFirst + row("a", "leak_byte"))
                .rfind(":2: unknown metric \"leak_byte\"; did you mean \"leak_bytes\"", 0),
            0U);
}

TEST_F(BaselineFiles, AnotherSchemaIsRefused) {
  EXPECT_EQ(error_on("{\"schema\":\"highwater.baseline/9\"}\n")
                .rfind(":1: schema is \"highwater.baseline/9\"", 0),
            0U);
}

TEST_F(BaselineFiles, ASchemaWhoseNumberIsNoneIsNotCalledNewer) {
  for (const std::string number : {"04", "4x", ""}) {
    const std::string error = error_on("{\"schema\":\"highwater.baseline/" + number + "\"}\n");
    EXPECT_NE(error.find("use the program that wrote the file"), std::string::npos) << error;
  }
}

TEST_F(BaselineFiles, AnOlderSchemaIsRefusedWithWhatToDo) {
  for (const std::string version : {"1", "2"}) {
    EXPECT_EQ(
        error_on("{\"schema\":\"highwater.baseline/" + version +
                 "\",\"testbed\":\"bed\",\"suite\":\"default\"}\n"),
        ":1: schema is \"highwater.baseline/" + version +
            "\", whose rows have no anchor and no tolerance; this program reads "
            "\"highwater.baseline/3\": remove the file and run `highwater baseline accept RUN "
            "--reason TEXT`");
  }
}

TEST_F(BaselineFiles, AnAnchorAboveItsValueIsRefused) {
  EXPECT_EQ(error_on(kFirst + anchored_row("100", "0")), "accepted");
  EXPECT_EQ(
      error_on(kFirst + anchored_row("101", "0")).rfind(":2: anchor 101 lies above value 100;", 0),
      0U);
}

TEST_F(BaselineFiles, AnAnchorOrToleranceThatCannotBeIsRefused) {
  EXPECT_EQ(error_on(kFirst + anchored_row("-1", "0")), ":2: anchor cannot be negative, but is -1");
  EXPECT_EQ(error_on(kFirst + anchored_row("100", "-1")),
            ":2: tolerance cannot be negative, but is -1");
  EXPECT_EQ(error_on(kFirst + anchored_row("100", "0.5")),
            ":2: tolerance must be a whole number, not 0.5");
  EXPECT_EQ(
      error_on(kFirst + anchored_row("\"x\"", "0")).rfind(":2: anchor must be a whole number", 0),
      0U);
}

TEST_F(BaselineFiles, ARowWithoutAnchorOrToleranceIsRefused) {
  for (const std::string key : {"anchor", "tolerance"}) {
    std::string line = row("a");
    line.erase(line.find("\"" + key + "\":0,"), key.size() + 5);
    const std::string error = error_on(kFirst + line);
    EXPECT_EQ(error.rfind(":2: ", 0), 0U) << error;
    EXPECT_NE(error.find("'" + key + "' not found"), std::string::npos) << error;
  }
}

TEST_F(BaselineFiles, AnotherTestbedThanTheFoldersIsRefused) {
  EXPECT_EQ(
      error_on(
          "{\"schema\":\"highwater.baseline/3\",\"testbed\":\"other\",\"suite\":\"default\"}\n")
          .rfind(":1: testbed is \"other\", but the file lies under \"bed\"", 0),
      0U);
}

TEST_F(BaselineFiles, AnotherSuiteThanTheFilesIsRefused) {
  EXPECT_EQ(
      error_on("{\"schema\":\"highwater.baseline/3\",\"testbed\":\"bed\",\"suite\":\"full\"}\n")
          .rfind(":1: suite is \"full\", but the file lies under \"default\"", 0),
      0U);
}

TEST_F(BaselineFiles, MalformedLinesAreRefused) {
  EXPECT_EQ(error_on(kFirst + "{\"cell\":\n").rfind(":2: not a JSON object", 0), 0U);
  EXPECT_EQ(error_on(kFirst + "{\"cell\":\"a\"}\n").rfind(":2: ", 0), 0U);
  EXPECT_EQ(error_on(kFirst + row("a", "leak_bytes", "1.5")),
            ":2: value must be a whole number, not 1.5");
  EXPECT_EQ(error_on("").rfind(":1: the file is empty", 0), 0U);
}

TEST_F(BaselineFiles, AreFoundByTestbed) {
  write_file_atomically(path(), kFirst + row("a"));
  write_file_atomically(folder() / "bed" / "smoke.jsonl", "not of this suite");
  const auto files = read_baselines(folder(), "default");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.at("bed").rows.size(), 1U);
}

TEST_F(BaselineFiles, AnAbsentFolderHoldsNone) {
  EXPECT_TRUE(read_baselines(folder() / "none", "default").empty());
}

TEST_F(BaselineFiles, CommittedOnesAreReadable) {
  const std::filesystem::path committed = HIGHWATER_SOURCE_DIR "/results/baselines";
  for (const char* suite : {"default", "smoke"}) {
    EXPECT_NO_THROW(read_baselines(committed, suite));
  }
}

TEST_F(BaselineFiles, AValueThatCannotBeIsRefused) {
  EXPECT_EQ(error_on(kFirst + row("a", "peak_allocated_bytes", "-5")),
            ":2: value cannot be negative, but is -5");
  EXPECT_EQ(error_on(kFirst + row("a", "leak_bytes", "9223372036854775808"))
                .rfind(":2: value must fit into 64 signed bits", 0),
            0U);
}

TEST_F(BaselineFiles, BlankLinesCrLfAndDoubledKeysAreNamed) {
  EXPECT_EQ(error_on(kFirst + row("a") + "\n"), ":3: the line is blank; remove it");
  const std::string line = row("a");
  EXPECT_EQ(error_on(kFirst + line.substr(0, line.size() - 1) + "\r\n"),
            ":2: the line ends in CR LF; convert the file to LF");
  EXPECT_EQ(error_on(kFirst + "{\"metric\":\"leak_bytes\"," + line.substr(1)),
            ":2: key \"metric\" stands twice; keep one");
}

TEST_F(BaselineFiles, ANameThatCouldLeadElsewhereIsRefused) {
  EXPECT_EQ(error_on("{\"schema\":\"highwater.baseline/3\",\"testbed\":\"..\",\"suite\":\"x\"}\n")
                .rfind(":1: testbed \"..\" may hold", 0),
            0U);
}

}  // namespace
}  // namespace highwater
