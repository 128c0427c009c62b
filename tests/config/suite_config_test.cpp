#include "harness/config/suite_config.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

const std::string kGood = R"(name = "s"
models = {tags = ["default"]}
techniques = {tags = ["default"], names = ["a+b"]}
devices = ["sim:h200"]
)";

void expect_error(const std::string& text, const std::string& message) {
  try {
    parse_suite(text, "s.toml");
    FAIL() << "accepted:\n" << text;
  } catch (const UsageError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(SuiteConfig, ReadsSelectionsDevicesAndProtocol) {
  const SuiteConfig suite = parse_suite(kGood + "[protocol]\ntimeout_seconds = 7\n", "s.toml");
  EXPECT_EQ(suite.name, "s");
  EXPECT_EQ(suite.models.tags, std::vector<std::string>{"default"});
  EXPECT_EQ(suite.techniques.names, std::vector<std::string>{"a+b"});
  EXPECT_EQ(suite.devices, std::vector<std::string>{"sim:h200"});
  EXPECT_EQ(suite.protocol.timeout_seconds, 7);
  EXPECT_EQ(suite.protocol.warmup_steps, Protocol{}.warmup_steps);
}

TEST(SuiteConfig, AnUnknownKeyIsRefusedWithItsLineAndTheNearestKeys) {
  expect_error(kGood + "device = [\"cpu\"]\n",
               "s.toml:5: device: unknown key \"device\"; did you mean \"devices\"?");
}

TEST(SuiteConfig, AnUnknownKeyOfATableIsRefusedWithItsPath) {
  expect_error(kGood + "[protocol]\nwarmup_step = 3\n",
               "s.toml:6: protocol.warmup_step: unknown key \"warmup_step\"; did you mean "
               "\"warmup_steps\"?");
}

TEST(SuiteConfig, AWrongTypeIsRefusedWithItsLine) {
  expect_error("name = 3\n", "s.toml:1: name: must be a text that is not empty");
  expect_error(kGood + "[protocol]\ntimeout_seconds = 0\n",
               "s.toml:6: protocol.timeout_seconds: must be a whole number of at least 1");
  expect_error("name = \"s\"\ndevices = \"cpu\"\n", "s.toml:2: devices: must be a list of texts");
}

TEST(SuiteConfig, MalformedTextIsRefusedWithItsLine) {
  try {
    parse_suite("name = \"s\"\nmodels = [\n", "s.toml");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("s.toml:", 0), 0U) << error.what();
  }
}

TEST(SuiteConfig, AnAbsentKeyIsNamed) {
  expect_error("name = \"s\"\n", "s.toml: the key models is absent or empty");
}

TEST(SuiteConfig, TooFewWarmUpStepsAreRefused) {
  expect_error(kGood + "[protocol]\nwarmup_steps = 1\n",
               "s.toml: protocol: warmup_steps and measured_steps must be at least 2");
}

TEST(SuiteConfig, ShippedSuitesAreReadable) {
  const std::string folder = HIGHWATER_SOURCE_DIR "/benchmarks/suites";
  const auto names = suite_names(folder);
  EXPECT_EQ(names, (std::vector<std::string>{"default", "full", "published", "smoke"}));
  for (const std::string& name : names) EXPECT_EQ(read_suite(folder, name).name, name);
}

TEST(SuiteConfig, ASuiteOfPublishedNumbersSelectsNothing) {
  const SuiteConfig suite = parse_suite(R"(name = "s"
[[published]]
cell = "m/full/baseline/sim:h200"
setting = "batch 4"
printed = "7 MB"
bytes = "7 MiB"
metrics = ["peak_allocated_bytes", "-parameters_bytes"]
source = "a paper"
)",
                                        "s.toml");
  ASSERT_EQ(suite.published.size(), 1U);
  EXPECT_EQ(suite.published[0].bytes, 7 << 20);
  EXPECT_EQ(suite.published[0].metrics.at(1), "-parameters_bytes");
}

TEST(SuiteConfig, APublishedFactorNeedsASecondCell) {
  const std::string text =
      "name = \"s\"\n[[published]]\ncell = \"m/full/save/cpu\"\nsetting = \"x\"\n"
      "printed = \"2x\"\nfactor = 2\nmetrics = [\"leak_bytes\"]\nsource = \"a paper\"\n";
  expect_error(text,
               "s.toml: published number \"2x\" of m/full/save/cpu: the key against is absent or "
               "empty");
  const auto suite = parse_suite(text + "against = \"m/full/baseline/cpu\"\n", "s.toml");
  EXPECT_EQ(suite.published.at(0).factor, 2);
  EXPECT_EQ(suite.published.at(0).against, "m/full/baseline/cpu");
}

TEST(SuiteConfig, APublishedNumberWithoutItsSourceIsRefused) {
  expect_error(
      "name = \"s\"\n[[published]]\ncell = \"m/full/baseline/cpu\"\nsetting = \"x\"\n"
      "printed = \"7 MB\"\nbytes = \"7 MiB\"\nmetrics = [\"leak_bytes\"]\n",
      "s.toml: published number \"7 MB\" of m/full/baseline/cpu: the key source is absent or "
      "empty");
}

TEST(SuiteConfig, APublishedNumberInDecimalUnitsIsRefusedWithItsLine) {
  try {
    parse_suite("name = \"s\"\n[[published]]\nbytes = \"7 MB\"\n", "s.toml");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("s.toml:3: published.bytes: ", 0), 0U)
        << error.what();
  }
}

TEST(SuiteConfig, AnUnknownSuiteGetsTheNearestNames) {
  try {
    read_suite(HIGHWATER_SOURCE_DIR "/benchmarks/suites", "defualt");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"default\"?"), std::string::npos);
  }
}

TEST(SuiteConfig, ANameThatCouldNotNameAFileIsRefused) {
  expect_error("name = \"../s\"\n" + kGood.substr(kGood.find('\n') + 1),
               "s.toml: name = \"../s\": use letters, digits and . _ + - only");
}

TEST(SuiteConfig, TheSmokeSuiteSelectsByTagAlone) {
  const SuiteConfig suite = read_suite(HIGHWATER_SOURCE_DIR "/benchmarks/suites", "smoke");
  for (const Selection& selection : {suite.models, suite.techniques}) {
    EXPECT_EQ(selection.tags, std::vector<std::string>{"smoke"});
    EXPECT_TRUE(selection.names.empty());
  }
}

}  // namespace
}  // namespace highwater
