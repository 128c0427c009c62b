#include <nlohmann/json.hpp>

#include "harness/core/exit_code.hpp"
#include "harness/core/files.hpp"
#include "harness/matrix/device.hpp"
#include "harness/measure/metric.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class CliUsage : public testing_fakes::FakeInstallation {};

struct Mistake {
  std::vector<std::string> arguments;
  std::string message;
};

TEST_F(CliUsage, EveryUnknownNameExitsWith2AndNamesTheNearest) {
  add_suite("wrong", {"steady"}, "\"sim:h200\"]\ndevises = [\"cpu\"");
  const std::vector<Mistake> mistakes = {
      {{"run", "--model", "stedy"}, "unknown model \"stedy\"; did you mean \"steady\"?"},
      {{"run", "--technique", "sav"}, "unknown technique \"sav\"; did you mean \"save\""},
      {{"run", "--technique", "save+hafl"}, "unknown technique \"hafl\"; did you mean \"half\""},
      {{"run", "--device", "cpuu"}, "unknown device \"cpuu\"; did you mean \"cpu\""},
      {{"run", "--device", "sim:h20"}, "unknown device \"sim:h20\"; did you mean \"sim:h200\"?"},
      {{"run", "--suite", "defualt"}, "unknown suite \"defualt\"; did you mean \"default\"?"},
      {{"run", "--suite", "wrong"},
       "wrong.toml:5: devises: unknown key \"devises\"; did you mean \"devices\"?"},
      {{"run", "--sute", "x"}, "unknown flag \"--sute\"; did you mean \"--suite\"?"},
      {{"run", "--sute=x"}, "unknown flag \"--sute\"; did you mean \"--suite\"?"},
      {{"baseline", "accept", "--reasn", "x"},
       "unknown flag \"--reasn\"; did you mean \"--reason\"?"},
      {{"rum"}, "unknown command \"rum\"; did you mean \"run\""},
      {{"list", "modles"}, "unknown listing \"modles\"; did you mean \"models\""},
      {{"run", "--capacity", "2GB"}, "cannot read \"2GB\" as a size"},
      {{"run", "--batch", "0"}, "--batch: Value 0 not in range"},
      {{"run", "--capacity", "0"}, "--capacity: write at least one byte"},
      {{"list", "models", "--suite", "nonsuch"}, "flags that select cells are for `list cells`"},
      {{"list", "models", "--batch", "-1"}, "--batch"},
      {{"run", "--technique", "baseline+save"}, "baseline changes nothing and is not combined"},
      {{"run", "--filter", "nothing"}, "no cell matches the filter nothing"},
      {{"run", "--jobs", "0"}, "--jobs"},
      {{"gate", "no/such/run"}, "cannot read no/such/run"},
      {{}, "subcommand is required"},
  };
  for (const auto& [arguments, message] : mistakes) {
    const auto result = highwater(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_NE(result.error.find(message), std::string::npos) << result.error;
    EXPECT_EQ(result.output, "");
  }
  EXPECT_FALSE(std::filesystem::exists(file("results/runs")));
}

TEST_F(CliUsage, APromisedGpuThatIsAbsentIsAnErrorAndNotASimulatedRun) {
  if (nvidia_driver_present()) GTEST_SKIP() << "this machine keeps the promise";
  const auto result = highwater({"list", "cells"}, {{"HIGHWATER_REQUIRE_GPU", "1"}});
  EXPECT_EQ(result.status, 6);
  EXPECT_NE(result.error.find("no NVIDIA driver is loaded"), std::string::npos) << result.error;
}

TEST_F(CliUsage, HelpHoldsTheExitCodeTable) {
  const auto result = highwater({"--help"});
  EXPECT_EQ(result.status, 0);
  for (const ExitCodeRow& row : exit_codes()) {
    EXPECT_NE(result.output.find(row.meaning), std::string::npos) << row.name;
  }
}

TEST_F(CliUsage, VersionIsPrinted) {
  const auto result = highwater({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output.rfind("highwater ", 0), 0U);
}

TEST_F(CliUsage, CellsAreListedOneIdALine) {
  EXPECT_EQ(highwater({"list", "cells", "--suite", "default"}).output,
            "steady/full/baseline/sim:h200\nsteady/full/save/sim:h200\n");
}

TEST_F(CliUsage, EveryListingIsAlsoJson) {
  for (const char* what : {"models", "techniques", "devices", "suites", "cells", "metrics"}) {
    const auto result = highwater({"list", what, "--format", "json"});
    EXPECT_EQ(result.status, 0) << what;
    EXPECT_FALSE(nlohmann::json::parse(result.output).empty()) << what;
    EXPECT_NE(highwater({"list", what}).output, "") << what;
  }
}

TEST_F(CliUsage, TechniquesAreListedWithScenarioAndNumerics) {
  const std::string text = highwater({"list", "techniques"}).output;
  EXPECT_EQ(text.rfind("name      scenario  numerics   summary\n"
                       "baseline  full      bit_equal  a fake\n",
                       0),
            0U)
      << text;
  EXPECT_NE(text.find("tiny      small     bit_equal  a fake\n"), std::string::npos) << text;
  const auto rows =
      nlohmann::json::parse(highwater({"list", "techniques", "--format", "json"}).output);
  EXPECT_EQ(rows.back().at("scenario"), "small");
  EXPECT_EQ(rows.back().at("needs"), nlohmann::json({"linear"}));
  EXPECT_EQ(rows.back().at("not_on_cpu"), "it moves nothing there");
  EXPECT_EQ(rows.back().at("cost"), "nothing");
}

TEST_F(CliUsage, ModelsAreListedWithTheirAbilities) {
  const std::string text = highwater({"list", "models"}).output;
  EXPECT_NE(text.find("steady          linear     a fake\n"), std::string::npos) << text;
  const auto rows = nlohmann::json::parse(highwater({"list", "models", "--format", "json"}).output);
  EXPECT_EQ(rows.front().at("abilities"), nlohmann::json({"relu"}));
}

TEST_F(CliUsage, SuitesAreListedWithoutHeadings) {
  EXPECT_EQ(highwater({"list", "suites"}).output.rfind("default", 0), 0U);
}

TEST_F(CliUsage, MetricsSayWhereTheyAreGated) {
  const auto rows =
      nlohmann::json::parse(highwater({"list", "metrics", "--format", "json"}).output);
  ASSERT_EQ(rows.size(), metrics().size());
  for (const auto& row : rows) {
    const Metric& metric = *find_metric(row.at("name").get<std::string>());
    EXPECT_EQ(row.at("gated_on").size(), metric.gated == Gated::never        ? 0U
                                         : metric.gated == Gated::everywhere ? 3U
                                                                             : 2U);
  }
}

TEST_F(CliUsage, BothWorkflowsJudgeTheWholeTableAfterTheRun) {
  for (const auto& [workflow, gate] :
       {std::pair{"ci", "build/bin/highwater gate\n"}, {"gpu", "build-gpu/bin/highwater gate\n"}}) {
    const std::string text =
        read_file(HIGHWATER_SOURCE_DIR "/.github/workflows/" + std::string(workflow) + ".yml");
    const std::size_t run = text.find("run: scripts/run.sh\n");
    ASSERT_NE(run, std::string::npos) << workflow;
    EXPECT_NE(text.find(std::string("run: ") + gate, run), std::string::npos) << workflow;
  }
}

TEST_F(CliUsage, EveryCommandThatNamesCellsTakesPlugins) {
  for (const char* command :
       {"capture", "gate", "inspect", "list", "noise", "report", "run", "snapshot"}) {
    const auto help = highwater({command, "--help"});
    EXPECT_NE(help.output.find("--plugin"), std::string::npos) << command;
  }
  const auto result = highwater({"list", "models", "--plugin", "/nowhere/libmine.so"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.error.find("plug-in /nowhere/libmine.so is no file"), std::string::npos)
      << result.error;
}

}  // namespace
}  // namespace highwater
