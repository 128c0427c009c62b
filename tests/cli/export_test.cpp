#include <nlohmann/json.hpp>

#include "harness/core/files.hpp"
#include "harness/export/export_format.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

class CliExport : public testing_fakes::FakeInstallation {
 protected:
  nlohmann::json exported(const std::string& format) const {
    const auto result = highwater({"export", "--format", format});
    EXPECT_EQ(result.status, 0) << result.error;
    return nlohmann::json::parse(result.output);
  }
};

TEST_F(CliExport, EveryFormatOfTheLastRunGoesToStandardOutputAlone) {
  highwater({"run"});
  for (const ExportFormat& format : export_formats()) {
    const auto result = highwater({"export", "--format", std::string(format.name)});
    EXPECT_EQ(result.status, 0) << format.name << result.error;
    EXPECT_GT(result.output.size(), 2U) << format.name;
    EXPECT_EQ(result.error, "") << format.name;
  }
}

TEST_F(CliExport, HelpNamesEveryFormat) {
  const std::string help = highwater({"export", "--help"}).output;
  for (const ExportFormat& format : export_formats()) {
    EXPECT_TRUE(says(help, std::string(format.meaning) + "\n")) << format.name;
  }
}

TEST_F(CliExport, AFileHoldsWhatStandardOutputWould) {
  highwater({"run"});
  const auto shown = highwater({"export", "--format", "csv"});
  const auto written = highwater(
      {"export", "results/runs/latest/records.jsonl", "--format", "csv", "--output", "a/b.csv"});
  EXPECT_EQ(written.status, 0) << written.error;
  EXPECT_EQ(written.output, "");
  EXPECT_EQ(read_file(file("a/b.csv")), shown.output);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file("a"))) {
    files += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);
}

TEST_F(CliExport, AMistakeIsAnErrorAndWritesNothing) {
  EXPECT_EQ(highwater({"export"}).status, 2);
  highwater({"run"});
  const auto wrong = highwater({"export", "--format", "juint", "--output", "out"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(says(wrong.error, "did you mean \"junit\"?")) << wrong.error;
  EXPECT_EQ(highwater({"export", "absent", "--format", "csv", "--output", "out"}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(CliExport, VerdictsAreThoseOfTheBaselinesThatTheFlagNames) {
  highwater({"run"});
  highwater({"baseline", "accept", "--reason", "first"});
  const auto held = highwater({"export", "--format", "junit"}).output;
  EXPECT_TRUE(says(held, "tests=\"2\" failures=\"0\" errors=\"0\"")) << held;
  const auto alone = highwater({"export", "--format", "junit", "--baselines", "none"}).output;
  EXPECT_TRUE(says(alone, "tests=\"2\" failures=\"2\" errors=\"0\"")) << alone;
}

/// Name and JSON type of each entry.
std::map<std::string, bool> kinds(const nlohmann::json& row) {
  std::map<std::string, bool> found;
  for (const auto& [key, value] : row.items()) found[key] = value.is_number();
  return found;
}

TEST_F(CliExport, ARowHasTheKeysThatGoogleBenchmarkItselfWritesOfTheSameCells) {
  add_suite("mixed", {"steady", "crash", "bounded"});
  start(HIGHWATER_BENCHMARKS_PROGRAM,
        {"--suite", "mixed", "--benchmark_out=google.json", "--benchmark_out_format=json"})
      .wait();
  highwater({"run", "--suite", "mixed"});
  const auto theirs = nlohmann::json::parse(read_file(file("google.json"))).at("benchmarks");
  const auto ours = exported("google-benchmark").at("benchmarks");
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(kinds(ours[i]), kinds(theirs[i])) << ours[i].dump(1) << theirs[i].dump(1);
    EXPECT_TRUE(says(theirs[i].at("name"), ours[i].at("name").get<std::string>()));
    for (const char* key : {"peak_allocated_bytes", "real_time", "iterations", "error_message"}) {
      EXPECT_EQ(ours[i].value(key, nlohmann::json()), theirs[i].value(key, nlohmann::json()))
          << key;
    }
  }
}

}  // namespace
}  // namespace highwater
