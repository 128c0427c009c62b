#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "harness/core/file_lock.hpp"
#include "harness/core/files.hpp"
#include "harness/record/baseline_file.hpp"
#include "harness/record/record.hpp"
#include "harness/record/run_folder.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

/// Texts that a file could hold where a name is meant.
std::vector<std::string> hostile_names() {
  return {
      "../../x", "/etc/x", "..", ".", "", "a\nb", std::string("a\0b", 3), std::string(5000, 'a'),
      "a b",     "größe"};
}

/// Every file below the folder that a command changed or made, but the texts that it printed.
std::vector<std::string> tree(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (!name.starts_with("output-") && !name.starts_with("error-")) files.push_back(name);
  }
  std::ranges::sort(files);
  return files;
}

class CliHostile : public testing_fakes::FakeInstallation {
 protected:
  fs::path records() const { return records_path(file("results/runs/latest")); }

  /// Puts a value into the first line of a file of JSON lines.
  static void put(const fs::path& path, const std::string& pointer, const nlohmann::json& value) {
    const std::string text = read_file(path);
    auto json = nlohmann::json::parse(text.substr(0, text.find('\n')));
    json[nlohmann::json::json_pointer(pointer)] = value;
    write_file_atomically(path, json.dump() + text.substr(text.find('\n')));
  }

  void expect_refused_without_a_trace(const std::vector<std::string>& arguments) const {
    const auto before = tree(folder());
    const auto result = highwater(arguments);
    EXPECT_EQ(result.status, 2) << result.error.substr(0, 400);
    EXPECT_EQ(tree(folder()), before);
  }
};

TEST_F(CliHostile, NoNameInARecordBecomesAPathOutsideTheBaselines) {
  for (const char* pointer : {"/suite", "/testbed/sim:h200/id"}) {
    for (const std::string& name : hostile_names()) {
      fs::remove_all(file("results"));
      highwater({"run"});
      put(records(), pointer, name);
      expect_refused_without_a_trace({"baseline", "accept", "--reason", "x"});
      expect_refused_without_a_trace({"gate"});
      expect_refused_without_a_trace({"report"});
    }
  }
}

TEST_F(CliHostile, NoCellOfARecordThatIsResumedBecomesAPath) {
  highwater({"run", "--technique", "baseline"});
  fs::remove(report_path(file("results/runs/latest")));
  const std::string run = fs::canonical(file("results/runs/latest")).string();
  const std::string text = read_file(records());
  const auto testbeds = nlohmann::json::parse(text.substr(0, text.find('\n'))).at("testbed");
  const auto expect_refused = [&](const std::string& id, const std::string& device) {
    auto with_device = testbeds;
    with_device[device] = testbeds.at("sim:h200");
    write_file_atomically(records(), text);
    put(records(), "/settings/planned_cells/1", id);
    put(records(), "/testbed", with_device);
    expect_refused_without_a_trace({"run", "--resume", run});
  };
  for (const std::string& name : hostile_names()) {
    for (const std::string& id : {name + "/full/save/sim:h200", "steady/" + name + "/save/sim:h200",
                                  "steady/full/" + name + "/sim:h200", name}) {
      expect_refused(id, "sim:h200");
    }
    for (const std::string& device : {name, "sim:" + name})
      expect_refused("steady/full/save/" + device, device);
  }
}

TEST_F(CliHostile, NoNameInABaselineBecomesAPath) {
  highwater({"run"});
  highwater({"baseline", "accept", "--reason", "x"});
  const auto baseline = file("results/baselines/sim-h200-fake1/default.jsonl");
  const std::string text = read_file(baseline);
  for (const char* pointer : {"/suite", "/testbed"}) {
    for (const std::string& name : hostile_names()) {
      write_file_atomically(baseline, text);
      put(baseline, pointer, name);
      expect_refused_without_a_trace({"gate"});
      expect_refused_without_a_trace({"baseline", "accept", "--reason", "x"});
    }
  }
}

TEST_F(CliHostile, NoNameOfASuiteBecomesAPath) {
  for (const std::string& name : hostile_names()) {
    if (name.find('\0') == std::string::npos)
      expect_refused_without_a_trace({"run", "--suite", name});
    const std::string text = nlohmann::json(name).dump();
    write_file_atomically(paths().suites / "evil.toml",
                          "name = " + text +
                              "\nmodels = {names = [\"steady\"]}\ntechniques = "
                              "{names = [\"save\"]}\ndevices = [\"cpu\"]\n");
    expect_refused_without_a_trace({"run", "--suite", "evil"});
  }
}

TEST_F(CliHostile, ARowOfABaselineCannotBeginALineOfItsOwnInTheVerdicts) {
  highwater({"run"});
  highwater({"baseline", "accept", "--reason", "x"});
  const auto baseline = file("results/baselines/sim-h200-fake1/default.jsonl");
  write_file_atomically(baseline, read_file(baseline) +
                                      "{\"cell\":\"z\\nunchanged\",\"metric\":"
                                      "\"leak_bytes\",\"value\":0,\"anchor\":0,\"tolerance\":0,"
                                      "\"date\":\"\",\"reason\":\"\"}\n");
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "holds control characters")) << result.error;
}

TEST_F(CliHostile, FilesOfANewerHighwaterAreRefusedWithTheWordToUpgrade) {
  highwater({"run"});
  highwater({"baseline", "accept", "--reason", "x"});
  const auto baseline = file("results/baselines/sim-h200-fake1/default.jsonl");
  for (const auto& [path, schema] : {std::pair(baseline, "highwater.baseline/10"),
                                     std::pair(records(), "highwater.records/10")}) {
    put(path, "/schema", schema);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"gate"}, {"report"}, {"baseline", "accept", "--reason", "x"}}) {
      const auto result = highwater(command);
      EXPECT_EQ(result.status, 2);
      EXPECT_TRUE(says(result.error, "a newer Highwater wrote the file: upgrade this one"))
          << result.error;
    }
  }
}

TEST_F(CliHostile, FoldersWithBlanksAndLettersOfOtherScriptsWorkFromEndToEnd) {
  const std::string place = "größe 测试 dir";
  const std::string runs = place + "/runs";
  const std::string baselines = place + "/base lines";
  const std::vector<std::string> judged = {runs + "/latest", "--baselines", baselines};
  const auto with = [&](std::vector<std::string> command) {
    command.insert(command.end(), judged.begin(), judged.end());
    return highwater(command);
  };
  EXPECT_EQ(highwater({"run", "--results", runs, "--baselines", baselines}).status, 0);
  EXPECT_EQ(with({"baseline", "accept", "--reason", "größer 测试"}).status, 0);
  EXPECT_EQ(with({"gate"}).status, 0);
  EXPECT_TRUE(says(with({"report"}).output, "steady (full) on sim:h200"));
  const auto regressed = highwater({"run", "--results", runs, "--baselines", baselines},
                                   {{"FAKE_EXTRA_BYTES", "4096"}});
  EXPECT_EQ(regressed.status, 3);
  EXPECT_TRUE(says(regressed.error, "--baselines '" + baselines + "'")) << regressed.error;
  fs::remove(report_path(fs::canonical(file(runs + "/latest"))));
  EXPECT_EQ(highwater({"run", "--resume", "latest", "--results", runs}).status, 0);
}

TEST_F(CliHostile, TwoAcceptancesOfOneFileAtOnceLoseNoRow) {
  highwater({"run"});
  const auto baseline = file("results/baselines/sim-h200-fake1/default.jsonl");
  fs::create_directories(file("results/baselines"));
  auto other = std::make_unique<FileLock>(file("results/baselines/.lock"), "it");
  const auto program = start(HIGHWATER_PROGRAM, {"baseline", "accept", "--reason", "x"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_FALSE(fs::exists(baseline)) << "it must wait";
  const BaselineRow row{"a/full/b/sim:h200", "leak_bytes", {0}, 0, 0, "2026-01-31", "theirs"};
  write_file_atomically(baseline, baseline_text({"sim-h200-fake1", "default", {row}}));
  other.reset();
  EXPECT_EQ(program.wait().status, 0);
  const auto rows = read_baseline(baseline).rows;
  EXPECT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows.at(0), row);
}

}  // namespace
}  // namespace highwater
