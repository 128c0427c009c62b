// Every technique in the registry, without naming one.

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/error.hpp"
#include "harness/run/device_session.hpp"
#include "harness/run/memory_pass.hpp"
#include "harness/run/workload_factory.hpp"

namespace highwater {
namespace {

std::vector<std::string> technique_names() {
  std::vector<std::string> names;
  for (const auto& technique : TechniqueRegistry::instance().all()) names.push_back(technique.name);
  return names;
}

class EveryTechnique : public testing::TestWithParam<std::string> {
 protected:
  const TechniqueDeclaration& technique() const {
    return TechniqueRegistry::instance().find(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, EveryTechnique, testing::ValuesIn(technique_names()));

TEST_P(EveryTechnique, SaysWhatItDoesAndWhereTheAdviceComesFrom) {
  EXPECT_FALSE(technique().summary.empty());
  EXPECT_FALSE(technique().source.empty());
  EXPECT_FALSE(technique().tags.empty());
}

TEST_P(EveryTechnique, SaysWhenToReachForItAndWhatItCosts) {
  const bool is_baseline = GetParam() == "baseline";
  EXPECT_EQ(technique().when.empty(), is_baseline);
  EXPECT_EQ(technique().cost.empty(), is_baseline);
}

TEST_P(EveryTechnique, EditsThePlanUnlessItIsTheBaseline) {
  const auto edits = differing_fields(StepPlan{}, make_plan({technique()}));
  EXPECT_EQ(edits.empty(), GetParam() == "baseline");
}

TEST_P(EveryTechnique, StatesAToleranceExactlyWhereItNeedsOne) {
  EXPECT_EQ(technique().tolerance > 0, technique().numerics == NumericsClass::tolerance);
}

TEST_P(EveryTechnique, ExcludesOnlyTechniquesThatExist) {
  for (const std::string& other : technique().excludes) {
    EXPECT_NO_THROW(TechniqueRegistry::instance().find(other));
  }
}

TEST_P(EveryTechnique, TakesANumberThatChangesItsEditIfItTakesOne) {
  const auto& parameter = technique().parameter;
  if (!parameter) {
    EXPECT_THROW(parse_techniques(GetParam() + ":2"), UsageError);
    return;
  }
  EXPECT_FALSE(parameter->name.empty() || parameter->meaning.empty());
  const std::int64_t other = parameter->value + 1;
  const auto edited = make_plan(parse_techniques(GetParam() + ":" + std::to_string(other)));
  EXPECT_FALSE(differing_fields(make_plan({technique()}), edited).empty());
  EXPECT_LE(parameter->smallest, parameter->value);
}

// A file whose registration the linker dropped would be missed by nobody else.
TEST(TechniquesFolder, HoldsOneFileForEachRegisteredTechnique) {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(HIGHWATER_SOURCE_DIR "/techniques")) {
    files.push_back(file.path().stem().string());
  }
  std::ranges::sort(files);
  EXPECT_EQ(files, technique_names());
}

TEST(ModelsFolder, HoldsOneFileForEachFamily) {
  std::set<std::string> families;
  for (const auto& model : ModelRegistry::instance().all()) families.insert(model.family);
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(HIGHWATER_SOURCE_DIR "/models")) {
    files.insert(file.path().stem().string());
  }
  EXPECT_EQ(families, files);
}

}  // namespace
}  // namespace highwater
