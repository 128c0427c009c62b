#include "harness/record/record.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_record;
using testing_fakes::sample_run;

class Records : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "records.jsonl"; }

  void write(const std::string& text) const { write_file_atomically(path(), text); }

  /// The reader's message about a file with a good header and these lines.
  std::string error_on(const std::string& lines) const {
    write(header_line(sample_run({}).header) + "\n" + lines);
    try {
      read_run(path());
    } catch (const UsageError& error) {
      return std::string(error.what()).substr(path().string().size());
    }
    return "accepted";
  }

 private:
  testing_fakes::TemporaryFolder folder_;
};

CellRecord rich_record() {
  CellRecord record = sample_record("a+b", 123);
  record.cell.batch = 4;
  record.outcome.numerics =
      Numerics{"within_tolerance", "a \"quoted\" sentence", 1e-7, 1e-6, 2.5, 1.25};
  record.outcome.prediction = {{"parameters_bytes", 1000}};
  record.outcome.promises = {{"peak_allocated_bytes", 77}, {"leak_bytes", 0}};
  return record;
}

std::string line_with(const std::string& key, const nlohmann::json& value) {
  nlohmann::json json = nlohmann::json::parse(cell_line(sample_record("baseline", 1)));
  json[key] = value;
  return json.dump() + "\n";
}

TEST_F(Records, RoundTrip) {
  const RunRecord written = sample_run({rich_record(), sample_record("baseline", 200)});
  RecordWriter writer(path(), written.header);
  for (const CellRecord& record : written.cells) writer.append(record);
  const RunRecord read = read_run(path());
  EXPECT_EQ(header_line(read.header), header_line(written.header));
  ASSERT_EQ(read.cells.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(cell_line(read.cells[i]), cell_line(written.cells[i]));
  EXPECT_EQ(read.cells[0].outcome.numerics->gradient_difference, 1e-7);
  ASSERT_EQ(read.cells[0].outcome.promises.size(), 2U);
  EXPECT_EQ(read.cells[0].outcome.promises[0].minimum_saving_bytes, 77);
  EXPECT_TRUE(read.warnings.empty());
}

CellRecord bounded_record() {
  CellRecord record = sample_record("baseline", 100);
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"peak_allocated_bytes", 120}};
  return record;
}

TEST_F(Records, BothEndsOfABoundedCellAreKept) {
  write(header_line(sample_run({}).header) + "\n" + cell_line(bounded_record()) + "\n");
  const RunRecord run = read_run(path());
  EXPECT_EQ(run.cells.at(0).outcome.certainty, Certainty::bounded);
  EXPECT_EQ(ends_of(run.cells.data(), "peak_allocated_bytes"), (Ends{100, 120}));
  EXPECT_EQ(ends_of(run.cells.data(), "peak_reserved_bytes"), Ends{100});
  EXPECT_EQ(ends_of(run.cells.data(), "parameters_bytes"), std::nullopt);
}

TEST_F(Records, ACertaintyThatContradictsTheRestIsAFault) {
  EXPECT_EQ(fault_of(bounded_record().outcome), "");
  CellRecord record = bounded_record();
  record.outcome.certainty = Certainty::exact;
  EXPECT_EQ(fault_of(record.outcome), "it is not bounded, but has values at the high end");
  record.outcome.certainty = std::nullopt;
  EXPECT_EQ(fault_of(record.outcome), "it is measured, but has no certainty");
  record.outcome.certainty = Certainty::refused;
  EXPECT_EQ(fault_of(record.outcome), "it is measured, but its certainty is refused");
  record = bounded_record();
  record.outcome.high = {};
  EXPECT_EQ(fault_of(record.outcome), "it is bounded, but has no value at the high end");
  record.outcome.high = {{"parameters_bytes", 1}};
  EXPECT_EQ(fault_of(record.outcome), "it has a high end of parameters_bytes, but no low");
  record.outcome.kind = OutcomeKind::skipped;
  EXPECT_EQ(fault_of(record.outcome), "it is skipped, but has a certainty");
}

TEST_F(Records, AnUnknownCertaintyOrHighMetricIsRefused) {
  EXPECT_EQ(error_on(line_with("certainty", "exakt")),
            ":2: unknown certainty \"exakt\"; did you mean \"exact\"?");
  EXPECT_EQ(error_on(line_with("high", {{"mood", 1}})).rfind(":2: unknown metric \"mood\"", 0), 0U);
}

TEST_F(Records, EveryLineCanBeReadAsSoonAsItIsAppended) {
  RecordWriter writer(path(), sample_run({}).header);
  writer.append(sample_record("baseline", 1));
  EXPECT_EQ(read_run(path()).cells.size(), 1U);
}

TEST_F(Records, ARunFolderStandsForItsFile) {
  write(header_line(sample_run({}).header) + "\n");
  EXPECT_EQ(read_run(path().parent_path()).header.suite, "default");
}

TEST_F(Records, NumbersThatAreNotFiniteAreLeftOutAndReadBackAsNotANumber) {
  CellRecord record = rich_record();
  record.outcome.numerics->last_loss = std::numeric_limits<double>::quiet_NaN();
  record.outcome.numerics->first_loss = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(cell_line(record));
  EXPECT_FALSE(json.at("numerics").contains("last_loss"));
  EXPECT_FALSE(json.at("numerics").contains("first_loss"));
  EXPECT_TRUE(std::isnan(json.get<CellOutcome>().numerics->last_loss));
}

TEST_F(Records, LastWordsThatAreNotUtf8AreStillWritten) {
  CellRecord record = sample_record("baseline", 1);
  record.outcome.reason = "bad \xff byte";
  EXPECT_TRUE(nlohmann::json::accept(cell_line(record)));
}

TEST_F(Records, AHalfWrittenLastLineIsAWarning) {
  const std::string line = cell_line(sample_record("baseline", 1));
  write(header_line(sample_run({}).header) + "\n" + line + "\n" + line.substr(0, 40));
  const RunRecord run = read_run(path());
  EXPECT_EQ(run.cells.size(), 1U);
  ASSERT_EQ(run.warnings.size(), 1U);
  EXPECT_NE(run.warnings[0].find(":3: the last line is half written"), std::string::npos);
}

TEST_F(Records, AMalformedLineIsRefusedWithItsNumber) {
  EXPECT_EQ(error_on("{\"cell\": \n"), ":2: not a JSON object; mend or remove the line");
}

TEST_F(Records, AForeignSchemaIsRefusedNamingTheOneThatIsRead) {
  write("{\"schema\":\"highwater.records/1\"}\n");
  try {
    read_run(path());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("schema is \"highwater.records/1\", but this program "
                        "reads \"highwater.records/3\""),
              std::string::npos);
  }
}

TEST_F(Records, AnUnknownMetricIsRefused) {
  EXPECT_EQ(
      error_on(line_with("metrics", {{"peak_alocated_bytes", 1}}))
          .rfind(
              ":2: unknown metric \"peak_alocated_bytes\"; did you mean \"peak_allocated_bytes\"",
              0),
      0U);
}

TEST_F(Records, AnUnknownKeyIsRefused) {
  EXPECT_EQ(error_on(line_with("outcom", "measured"))
                .rfind(":2: unknown key \"outcom\"; did you mean \"outcome\"", 0),
            0U);
}

TEST_F(Records, AnUnknownOutcomeIsRefused) {
  EXPECT_EQ(error_on(line_with("outcome", "meassured")),
            ":2: unknown outcome \"meassured\"; did you mean \"measured\"?");
}

TEST_F(Records, AMetricWithAFractionIsRefused) {
  EXPECT_EQ(error_on(line_with("metrics", {{"leak_bytes", 1.5}})),
            ":2: metrics.leak_bytes must be a whole number, not 1.5");
}

TEST_F(Records, ACellThatStandsTwiceIsRefused) {
  const std::string line = cell_line(sample_record("baseline", 1)) + "\n";
  EXPECT_EQ(error_on(line + line), ":3: cell \"m/full/baseline/sim:h200\" stands twice");
}

TEST_F(Records, AnIdThatContradictsItsFieldsIsRefused) {
  EXPECT_NE(error_on(line_with("model", "other")).find("does not match its fields"),
            std::string::npos);
}

TEST_F(Records, ADeviceWithoutATestbedIsRefused) {
  nlohmann::json json = nlohmann::json::parse(cell_line(sample_record("baseline", 1)));
  json["device"] = "sim:a100";
  json["cell"] = "m/full/baseline/sim:a100";
  EXPECT_EQ(error_on(json.dump() + "\n"), ":2: line 1 names no testbed for device sim:a100");
}

TEST_F(Records, AnEmptyFileIsRefused) {
  write("");
  EXPECT_THROW(read_run(path()), UsageError);
}

TEST_F(Records, AFullDiskIsAnErrorThatNamesTheFile) {
  try {
    RecordWriter writer("/dev/full", sample_run({}).header);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST_F(Records, ANumberBeyond64SignedBitsIsRefused) {
  const std::uint64_t beyond = 1ULL << 63;
  EXPECT_EQ(
      error_on(line_with("metrics", {{"leak_bytes", beyond}})),
      ":2: metrics.leak_bytes must fit into 64 signed bits, and 9223372036854775808 does not");
  const std::string text = line_with("metrics", {{"leak_bytes", 0}});
  const std::string huge = "\"leak_bytes\":99999999999999999999";
  EXPECT_NE(error_on(std::string(text).replace(text.find("\"leak_bytes\":0"), 14, huge))
                .find("must fit into 64 signed bits"),
            std::string::npos);
}

TEST_F(Records, OnlyDifferencesMayBeNegative) {
  EXPECT_EQ(error_on(line_with("metrics", {{"parameters_bytes", -1}})),
            ":2: metrics.parameters_bytes cannot be negative, but is -1");
  EXPECT_EQ(error_on(line_with("metrics", {{"teardown_bytes", -1}, {"leak_bytes", -1}})),
            "accepted");
}

TEST_F(Records, APromiseOfAnUnknownMetricOrLessThanNothingIsRefused) {
  const auto promises = [](const char* metric, std::int64_t bytes) {
    return line_with("promises", {{{"metric", metric}, {"minimum_saving_bytes", bytes}}});
  };
  EXPECT_EQ(error_on(promises("mood", 1)).rfind(":2: unknown metric \"mood\"", 0), 0U);
  EXPECT_EQ(error_on(promises("leak_bytes", -1)),
            ":2: minimum_saving_bytes cannot be negative, but is -1");
}

TEST_F(Records, AKeyThatStandsTwiceIsRefused) {
  std::string line = line_with("metrics", {{"leak_bytes", 1}});
  line.replace(line.find("\"leak_bytes\":1"), 14, "\"leak_bytes\":1,\"leak_bytes\":2");
  EXPECT_EQ(error_on(line), ":2: key \"leak_bytes\" stands twice; keep one");
}

TEST_F(Records, ABlankLineAndACrLfLineEndAreNamed) {
  EXPECT_EQ(error_on("\n"), ":2: the line is blank; remove it");
  std::string line = line_with("reason", "");
  line.insert(line.size() - 1, "\r");
  EXPECT_EQ(error_on(line), ":2: the line ends in CR LF; convert the file to LF");
}

TEST_F(Records, AWrongTypeIsASentenceOfItsLine) {
  EXPECT_EQ(error_on(line_with("reason", 3)),
            ":2: a value cannot be read: type must be string, but is number");
  EXPECT_EQ(error_on(line_with("promises", "x")).rfind(":2: a value cannot be read", 0), 0U);
}

/// The reader's message about a header with this value.
std::string header_error(const std::filesystem::path& path, const nlohmann::json::json_pointer& key,
                         const nlohmann::json& value) {
  auto json = nlohmann::json::parse(header_line(sample_run({}).header));
  json[key] = value;
  write_file_atomically(path, json.dump() + "\n");
  try {
    read_run(path);
  } catch (const UsageError& error) {
    return std::string(error.what()).substr(path.string().size());
  }
  return "accepted";
}

TEST_F(Records, ANameThatCouldLeadElsewhereIsRefused) {
  using Pointer = nlohmann::json::json_pointer;
  for (const char* name : {"../../x", "..", ".", "", "a/b", "a b"}) {
    EXPECT_EQ(header_error(path(), Pointer("/suite"), name).rfind(":1: suite \"", 0), 0U) << name;
    EXPECT_EQ(header_error(path(), Pointer("/testbed/cpu/id"), name).rfind(":1: testbed id \"", 0),
              0U)
        << name;
  }
}

TEST_F(Records, SettingsOfAWrongTypeAreASentence) {
  using Pointer = nlohmann::json::json_pointer;
  const auto array = nlohmann::json::array();
  EXPECT_EQ(header_error(path(), Pointer("/settings"), array), ":1: settings must be an object");
  EXPECT_EQ(header_error(path(), Pointer("/settings/selection"), array),
            ":1: settings.selection must be an object");
  EXPECT_EQ(header_error(path(), Pointer("/settings/selection/narrowed"), "no"),
            ":1: settings.selection.narrowed must be true or false");
  EXPECT_EQ(header_error(path(), Pointer("/settings/planned_cells"), {1}),
            ":1: settings.planned_cells must be a list of cell ids");
  EXPECT_EQ(header_error(path(), Pointer("/testbed"), array).rfind(":1: ", 0), 0U);
}

TEST_F(Records, ARunIsCompleteWhenEveryPlannedCellHasItsRow) {
  RunRecord run = sample_run({sample_record("baseline", 1)});
  EXPECT_FALSE(is_complete(run)) << "it does not say what it planned";
  run.header.settings["planned_cells"] = {"m/full/baseline/sim:h200"};
  EXPECT_TRUE(is_complete(run));
  run.header.settings["planned_cells"].push_back("m/full/save/sim:h200");
  EXPECT_FALSE(is_complete(run));
}

}  // namespace
}  // namespace highwater
