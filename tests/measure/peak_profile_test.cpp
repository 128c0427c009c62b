#include "harness/measure/peak_profile.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

PeakPart part(const std::string& module, Bytes bytes, std::int64_t blocks = 1) {
  return {.category = "saved_activations",
          .phase = "forward",
          .module = module,
          .op = "aten::gelu",
          .blocks = blocks,
          .bytes = bytes};
}

std::vector<std::string> modules(const PeakProfile& profile) {
  std::vector<std::string> names;
  for (const PeakPart& part : profile) names.push_back(part.module);
  return names;
}

using Names = std::vector<std::string>;

TEST(PeakProfile, FoldsModulesThatDifferInTheirLastNumberAlone) {
  PeakProfile twelve;
  for (int i = 0; i < 12; ++i) twelve.push_back(part("block." + std::to_string(i) + ".qkv", 512));
  const PeakProfile one = folded(twelve);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].module, "block.{0-11}.qkv");
  EXPECT_EQ(one[0].bytes, 512);
  EXPECT_EQ(modules_of(one[0].module), 12);
}

TEST(PeakProfile, FoldsNoPartThatIsOfAnotherSizeOrPlace) {
  EXPECT_EQ(modules(folded({part("block.0", 512), part("block.1", 1024)})),
            (Names{"block.0", "block.1"}));
  EXPECT_EQ(modules(folded({part("block.0", 512, 1), part("block.1", 512, 2)})),
            (Names{"block.0", "block.1"}));
  EXPECT_EQ(modules(folded({part("a.0.x", 512), part("a.1.y", 512), part("b.1.x", 512)})),
            (Names{"a.0.x", "a.1.y", "b.1.x"}));
}

TEST(PeakProfile, AGapBetweenNumbersIsAComma) {
  EXPECT_EQ(modules(folded({part("b.0", 1), part("b.1", 1), part("b.2", 1), part("b.5", 1),
                            part("b.7", 1), part("b.8", 1)})),
            Names{"b.{0-2,5,7-8}"});
}

TEST(PeakProfile, OfTwoNumbersTheLastIsFolded) {
  EXPECT_EQ(modules(folded({part("stage.1.block.0.conv1", 8), part("stage.1.block.1.conv1", 8),
                            part("stage.2.block.0.conv1", 8)})),
            (Names{"stage.1.block.{0-1}.conv1", "stage.2.block.0.conv1"}));
}

TEST(PeakProfile, ANumberThatIsNoWordOfItsOwnIsPartOfTheName) {
  EXPECT_EQ(modules(folded({part("norm1", 8), part("norm2", 8), part("x.01", 8), part("x.02", 8)})),
            (Names{"norm1", "norm2", "x.01", "x.02"}));
}

TEST(PeakProfile, ComesBackFromJsonAsItWas) {
  const PeakProfile profile = {part("block.0", 512), part("block.1", 512), part("block.2", 1024, 3),
                               part("head", 7)};
  const nlohmann::json json = profile_to_json(profile);
  EXPECT_EQ(json.at("saved_activations").at("forward").size(), 3U);
  EXPECT_EQ(profile_from_json(nlohmann::json::parse(json.dump())), profile);
  EXPECT_EQ(total_bytes(profile), 512 + 512 + 1024 + 7);
}

TEST(PeakProfile, JsonThatIsNoneIsRefused) {
  for (const char* text : {"1", "{\"a\":[]}", "{\"a\":{\"b\":{}}}"}) {
    EXPECT_THROW(profile_from_json(nlohmann::json::parse(text)), UsageError) << text;
  }
  for (const char* part : {"1", "[\"m\"]", "[\"m\",\"o\",\"1\",1]", "[\"m{\",\"o\",1,1]",
                           "[\"m{}\",\"o\",1,1]", "[\"m{2-1}\",\"o\",1,1]", "[\"m{x}\",\"o\",1,1]",
                           "[\"m{0-99999999999}\",\"o\",1,1]", "[\"m{1,}\",\"o\",1,1]"}) {
    const auto json = nlohmann::json::parse("{\"a\":{\"b\":[" + std::string(part) + "]}}");
    EXPECT_THROW(profile_from_json(json), UsageError) << part;
  }
}

TEST(PeakProfile, TheDifferenceHoldsWhatMovedAndSumsToTheDifferenceOfThePeaks) {
  const PeakProfile before = {part("a", 100), part("b", 50, 2), part("gone", 5)};
  const PeakProfile after = {part("a", 100), part("b", 80, 3), part("new", 9)};
  const PeakProfile moved = difference(before, after);
  EXPECT_EQ(moved, (PeakProfile{part("b", 30, 1), part("gone", -5, -1), part("new", 9)}));
  EXPECT_EQ(total_bytes(moved), total_bytes(after) - total_bytes(before));
}

TEST(PeakProfile, TheSameBytesInAnotherPhaseAreAMove) {
  PeakPart later = part("a", 100);
  later.phase = "backward";
  EXPECT_EQ(difference({part("a", 100)}, {later}).size(), 2U);
}

}  // namespace
}  // namespace highwater
