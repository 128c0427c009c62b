#include <nlohmann/json.hpp>

#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

class CliInspect : public testing_fakes::FakeInstallation {};

TEST_F(CliInspect, PrintsWhatTheCellAnswersUnderItsId) {
  const auto result = highwater({"inspect", "steady", "save", "--device", "sim:h200", "--preset",
                                 "small", "--batch", "3", "--capacity", "1GiB"});
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.output.rfind("steady/small/save/sim:h200/batch=3/capacity=1073741824\n"
                                "peak 8.0 MiB (8,388,608 B, exact) in phase forward\n",
                                0),
            0U)
      << result.output;
}

TEST_F(CliInspect, IsOfBaselineOnTheAcceleratorUnlessToldOtherwise) {
  EXPECT_EQ(highwater({"inspect", "steady"}).output.rfind("steady/full/baseline/sim:h200\n", 0),
            0U);
}

TEST_F(CliInspect, AnswersJsonToo) {
  const auto result = highwater({"inspect", "steady", "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(result.output).at("peak_bytes"), 8 << 20);
}

TEST_F(CliInspect, DepthLimitsTheTree) {
  EXPECT_TRUE(says(highwater({"inspect", "steady", "--depth", "2"}).output, "\n    0 "));
  EXPECT_FALSE(says(highwater({"inspect", "steady", "--depth", "1"}).output, "\n    0 "));
}

TEST_F(CliInspect, AWrongNameIsAnErrorOfUsageWithTheNearest) {
  const auto result = highwater({"inspect", "stedy"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "unknown model \"stedy\"; did you mean \"steady\"?"));
}

TEST_F(CliInspect, WhatCannotRunIsSkippedWithTheReason) {
  const auto result = highwater({"inspect", "steady", "tiny", "--device", "cpu"});
  EXPECT_EQ(result.status, 77);
  EXPECT_TRUE(says(result.error, "tiny does nothing on the cpu")) << result.error;
}

TEST_F(CliInspect, ACellThatDiesIsAnErrorWithItsLastWords) {
  const auto result = highwater({"inspect", "exit3"});
  EXPECT_EQ(result.status, 6);
  EXPECT_TRUE(says(result.error, "no such thing as a free lunch")) << result.error;
  EXPECT_EQ(result.output, "");
}

}  // namespace
}  // namespace highwater
