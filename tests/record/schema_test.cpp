// The published JSON schemas say what the writer writes and the reader accepts.

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "harness/core/files.hpp"
#include "harness/measure/metric.hpp"
#include "harness/record/baseline_file.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

nlohmann::json schema(const std::string& name) {
  return nlohmann::json::parse(read_file(HIGHWATER_SOURCE_DIR "/results/schema/" + name));
}

std::set<std::string> keys(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [key, value] : object.items()) names.insert(key);
  return names;
}

CellRecord full_record() {
  CellRecord record = testing_fakes::sample_record("baseline", 1);
  record.cell.batch = 1;
  record.cell.capacity = 1;
  record.outcome.numerics = Numerics{"bit_equal", "", 0, 0, 0, 0};
  record.outcome.promises = {{"leak_bytes", 1}};
  return record;
}

TEST(Schema, OfACellHasExactlyTheKeysThatAreWritten) {
  const auto published = schema("cell.schema.json");
  const auto written = nlohmann::json::parse(cell_line(full_record()));
  EXPECT_EQ(keys(published.at("properties")), keys(written));
  EXPECT_EQ(keys(published.at("properties").at("numerics").at("properties")),
            keys(written.at("numerics")));
  EXPECT_EQ(keys(published.at("properties").at("promises").at("items").at("properties")),
            keys(written.at("promises").at(0)));
}

TEST(Schema, DescribesHowMetricsAreSpelledAndDoesNotListThem) {
  const auto metric = schema("cell.schema.json").at("$defs").at("metric");
  const std::regex pattern(metric.at("pattern").get<std::string>());
  for (const std::string& id : metric_ids()) EXPECT_TRUE(std::regex_match(id, pattern)) << id;
  EXPECT_FALSE(metric.contains("enum"));
  EXPECT_EQ(schema("baseline-row.schema.json").at("properties").at("metric"), metric);
}

TEST(Schema, RefusesTheNamesThatTheReaderRefuses) {
  const auto header = schema("header.schema.json").at("properties");
  const std::regex pattern(header.at("suite").at("pattern").get<std::string>());
  for (const char* name : {"default", "a.b+c_d-1", "...", "", ".", "..", "../x", "a b"}) {
    EXPECT_EQ(std::regex_match(name, pattern), is_plain_name(name)) << name;
  }
}

TEST(Schema, OfACellNamesExactlyTheOutcomes) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(OutcomeKind::failed); ++i) {
    names.push_back(to_text(static_cast<OutcomeKind>(i)));
  }
  EXPECT_EQ(schema("cell.schema.json").at("properties").at("outcome").at("enum"),
            nlohmann::json(names));
}

TEST(Documents, SayOfEachCertaintyWhatItsTableSays) {
  const std::string method = read_file(HIGHWATER_SOURCE_DIR "/docs/method.md");
  for (const CertaintyRow& row : certainty_table()) {
    const std::string line = "| " + std::string(row.name) + " | " + std::string(row.meaning) + " |";
    EXPECT_NE(method.find(line), std::string::npos) << line;
  }
}

TEST(Schema, OfACellNamesExactlyTheCertaintiesAndNone) {
  nlohmann::json names = {nullptr};
  for (const CertaintyRow& row : certainty_table()) names.push_back(row.name);
  EXPECT_EQ(schema("cell.schema.json").at("properties").at("certainty").at("enum"), names);
}

TEST(Schema, OfAHeaderHasExactlyTheKeysThatAreWritten) {
  const auto published = schema("header.schema.json");
  EXPECT_EQ(keys(published.at("properties")),
            keys(nlohmann::json::parse(header_line(testing_fakes::sample_run({}).header))));
  EXPECT_EQ(published.at("properties").at("schema").at("const"), kRecordSchema);
}

TEST(Schema, OfABaselineHasExactlyTheKeysThatAreWritten) {
  const std::string text =
      baseline_text({"bed", "default", {testing_fakes::sample_row("a", "leak_bytes", {0, 1})}});
  const std::size_t end = text.find('\n');
  const auto header = schema("baseline-header.schema.json");
  EXPECT_EQ(keys(header.at("properties")), keys(nlohmann::json::parse(text.substr(0, end))));
  EXPECT_EQ(header.at("properties").at("schema").at("const"), kBaselineSchema);
  EXPECT_EQ(keys(schema("baseline-row.schema.json").at("properties")),
            keys(nlohmann::json::parse(text.substr(end + 1))));
}

}  // namespace
}  // namespace highwater
