// The suites of the repository over a small catalogue: what their files select.

#include <gtest/gtest.h>

#include "harness/config/suite_config.hpp"
#include "harness/matrix/expand.hpp"

namespace highwater {
namespace {

TEST(SuiteFull, IsEveryTechniqueInItsScenarioOnEveryModel) {
  const SuiteConfig suite = read_suite(HIGHWATER_SOURCE_DIR "/benchmarks/suites", "full");
  EXPECT_EQ(suite.presets, std::vector<std::string>{std::string(kScenarioPreset)});
  EXPECT_EQ(suite.devices, std::vector<std::string>{"accelerator"});
  EXPECT_EQ(suite.models.tags, std::vector<std::string>{"full"});
  EXPECT_EQ(suite.techniques.tags, std::vector<std::string>{"full"});
  EXPECT_TRUE(suite.models.names.empty());
  EXPECT_EQ(suite.techniques.names, std::vector<std::string>{"channels_last+autocast_bf16"});
}

}  // namespace
}  // namespace highwater
