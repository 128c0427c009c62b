#include "harness/matrix/expand.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <functional>

#include "harness/core/error.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

const Catalog kCatalog = testing_fakes::fake_catalog();

std::string reason_for(const std::string& id) { return skip_reason(parse_cell_id(id), kCatalog); }

std::string usage_error(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Expand, IsTheProductWithTheLastAxisFastest) {
  const auto cells = expand({{"model", {"steady", "slow"}},
                             {"device", {"sim:h200", "cpu"}},
                             {"technique", {"baseline", "save"}}},
                            kCatalog);
  ASSERT_EQ(cells.size(), 8U);
  EXPECT_EQ(cell_id(cells[0].cell), "steady/full/baseline/sim:h200");
  EXPECT_EQ(cell_id(cells[1].cell), "steady/full/save/sim:h200");
  EXPECT_EQ(cell_id(cells[7].cell), "slow/twin/save/cpu");
}

TEST(Expand, PresetFollowsTheDeviceUnlessItIsAnAxis) {
  const auto cells = expand(
      {{"model", {"steady"}}, {"device", {"cpu", "cuda", "sim:h200"}}, {"technique", {"baseline"}}},
      kCatalog);
  EXPECT_EQ(cells[0].cell.preset, "twin");
  EXPECT_EQ(cells[1].cell.preset, "full");
  EXPECT_EQ(cells[2].cell.preset, "full");
  EXPECT_EQ(expand({{"model", {"steady"}},
                    {"device", {"cpu"}},
                    {"preset", {"full"}},
                    {"technique", {"baseline"}}},
                   kCatalog)[0]
                .cell.preset,
            "full");
}

TEST(Expand, ACellThatCannotRunKeepsItsPlaceWithTheReason) {
  ::setenv("HIGHWATER_CUDNN_DIR", "", 1);
  const auto cells = expand(
      {{"model", {"vision", "steady"}}, {"device", {"sim:h200"}}, {"technique", {"baseline"}}},
      kCatalog);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_NE(cells[0].skip_reason.find("cuDNN"), std::string::npos);
  EXPECT_EQ(cells[1].skip_reason, "");
}

TEST(Expand, OnlyTheSimulatedGpuLacksConvolutions) {
  EXPECT_EQ(reason_for("vision/twin/baseline/cpu"), "");
  EXPECT_EQ(reason_for("vision/full/baseline/cuda"), "");
}

TEST(Expand, TwoEditsOfOneFieldClashInEitherOrder) {
  EXPECT_EQ(reason_for("steady/full/half+narrow/cuda"), "half and narrow both change precision");
  EXPECT_EQ(reason_for("steady/full/narrow+half/cuda"), "narrow and half both change precision");
}

TEST(Expand, AnExclusionHoldsInEitherOrder) {
  EXPECT_EQ(reason_for("steady/full/shy+save/cuda"), "shy excludes save");
  EXPECT_EQ(reason_for("steady/full/save+shy/cuda"), "shy excludes save");
}

TEST(Expand, TechniquesWithoutAClashCombine) {
  EXPECT_EQ(reason_for("steady/full/save+half/cuda"), "");
}

TEST(Expand, CapacityIsForSimulatedGpusOnly) {
  EXPECT_EQ(reason_for("steady/full/save/sim:h200/capacity=1048576"), "");
  EXPECT_NE(reason_for("steady/twin/save/cpu/capacity=1048576"), "");
}

TEST(Expand, AMissingPresetIsAReason) {
  EXPECT_EQ(reason_for("steady/huge/save/cpu"),
            "steady has no preset \"huge\" (it has full, small, twin)");
}

TEST(Expand, TagsSelectInCatalogueOrderAndNamesFollowOnce) {
  EXPECT_EQ(select_techniques({{"default"}, {"save", "half+save"}}, kCatalog),
            (std::vector<std::string>{"baseline", "half", "narrow", "save", "shy", "half+save"}));
  EXPECT_EQ(select_models({{"default"}, {}}, kCatalog), std::vector<std::string>{"steady"});
}

TEST(Expand, UnknownNamesAndTagsAreRefusedWithTheNearest) {
  for (const auto& [selection, near] :
       {std::pair<Selection, std::string>{{{}, {"stedy"}}, "steady"},
        {{{"defualt"}, {}}, "default"}}) {
    try {
      select_models(selection, kCatalog);
      ADD_FAILURE() << near;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("did you mean \"" + near), std::string::npos);
    }
  }
}

TEST(Expand, BaselineCombinedOrATechniqueTwiceIsAnErrorOfUsage) {
  for (const char* technique :
       {"baseline+save", "save+baseline", "save+save", "save+", "", "save+nothing"}) {
    EXPECT_THROW(check_technique(technique, kCatalog), UsageError) << technique;
  }
}

TEST(Expand, ATechniqueTakesItsNumberAndClashesWhateverTheNumber) {
  EXPECT_NO_THROW(check_technique("save+split:8", kCatalog));
  EXPECT_EQ(reason_for("steady/full/split:8/cpu"), "");
  EXPECT_EQ(reason_for("steady/full/tiny+split:8/cuda"), "");
  EXPECT_EQ(reason_for("vision/full/split:8+tiny/cuda"), "vision has no linear to take hold of");
}

TEST(Expand, ANumberThatMeansNothingIsRefused) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"save:8", "technique \"save:8\": save takes no number"},
      {"split:1", "technique \"split:1\": the least k is 2"},
      {"split:4", "technique \"split:4\" is split by its bare name; leave out the number"},
      {"split+split:8", "technique \"split+split:8\" names split twice"},
      {"split:x", "technique \"split:x\": what follows the colon is not a whole number"}};
  for (const auto& [technique, message] : mistakes) {
    EXPECT_EQ(usage_error([&] { check_technique(technique, kCatalog); }), message);
  }
}

TEST(Expand, FiltersKeepMatchingIds) {
  const auto all = expand(
      {{"model", {"steady", "slow"}}, {"device", {"cpu"}}, {"technique", {"baseline", "save"}}},
      kCatalog);
  EXPECT_EQ(filter_cells(all, {}).size(), 4U);
  EXPECT_EQ(filter_cells(all, {"slow/*"}).size(), 2U);
  EXPECT_EQ(filter_cells(all, {"slow/*", "*/save/*"}).size(), 3U);
  EXPECT_THROW(filter_cells(all, {"nothing*"}), UsageError);
}

TEST(Expand, APresetStandsOnceHoweverOftenItIsNamed) {
  EXPECT_EQ(select_presets({"twin", "full", "twin"}, kCatalog),
            (std::vector<std::string>{"twin", "full"}));
}

std::vector<std::string> ids_of(const std::vector<Axis>& axes) {
  std::vector<std::string> ids;
  for (const PlannedCell& planned : expand(axes, kCatalog)) ids.push_back(cell_id(planned.cell));
  return ids;
}

TEST(Expand, ScenarioIsWhereATechniqueIsAtHomeAndBaselineStandsInAll) {
  EXPECT_EQ(
      ids_of({{"model", {"steady"}},
              {"device", {"sim:h200"}},
              {"preset", {"scenario"}},
              {"technique", {"baseline", "save", "tiny"}}}),
      (std::vector<std::string>{"steady/full/baseline/sim:h200", "steady/small/baseline/sim:h200",
                                "steady/full/save/sim:h200", "steady/small/tiny/sim:h200"}));
}

TEST(Expand, ACompositionIsAtHomeWhereItsFirstTechniqueIs) {
  EXPECT_EQ(
      ids_of({{"model", {"steady"}},
              {"device", {"cuda"}},
              {"preset", {"scenario"}},
              {"technique", {"save+tiny", "tiny+save"}}}),
      (std::vector<std::string>{"steady/full/save+tiny/cuda", "steady/small/tiny+save/cuda"}));
}

TEST(Expand, OnTheCpuEveryScenarioIsTheTwin) {
  EXPECT_EQ(ids_of({{"model", {"steady"}},
                    {"device", {"cpu"}},
                    {"preset", {"scenario"}},
                    {"technique", {"baseline", "save", "tiny"}}}),
            (std::vector<std::string>{"steady/twin/baseline/cpu", "steady/twin/save/cpu",
                                      "steady/twin/tiny/cpu"}));
}

TEST(Expand, ACellThatAScenarioAndAPresetBothNameStandsOnce) {
  EXPECT_EQ(ids_of({{"model", {"steady"}},
                    {"device", {"cuda"}},
                    {"preset", {"scenario", "full"}},
                    {"technique", {"save"}}}),
            std::vector<std::string>{"steady/full/save/cuda"});
}

TEST(Expand, ScenarioIsAPresetOfASuite) {
  EXPECT_EQ(select_presets({"scenario"}, kCatalog), std::vector<std::string>{"scenario"});
}

TEST(Expand, ATechniqueIsSkippedOnAModelWithoutWhatItTakesHoldOf) {
  EXPECT_EQ(reason_for("slow/full/tiny/cuda"), "slow has no linear to take hold of");
  EXPECT_EQ(reason_for("slow/full/save+tiny/cuda"), "slow has no linear to take hold of");
  EXPECT_EQ(reason_for("steady/full/tiny/cuda"), "");
}

TEST(Expand, ATechniqueThatDoesNothingOnTheCpuIsSkippedThereWithItsReason) {
  EXPECT_EQ(reason_for("steady/twin/tiny/cpu"),
            "tiny does nothing on the cpu: it moves nothing there");
  EXPECT_EQ(reason_for("steady/twin/save/cpu"), "");
}

TEST(Expand, APresetThatNoModelHasIsRefusedWithTheNearest) {
  EXPECT_EQ(usage_error([] { select_presets({"ful"}, kCatalog); }),
            "unknown preset \"ful\"; did you mean \"full\"?");
}

TEST(Expand, ACellThatCannotExistIsRefusedWithTheNearestName) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"stedy/full/save/cpu", "unknown model \"stedy\"; did you mean \"steady\"?"},
      {"steady/ful/save/cpu", "unknown preset \"ful\"; did you mean \"full\"?"},
      {"steady/full/sav/cpu", "unknown technique \"sav\"; did you mean \"save\" or \"shy\"?"},
      {"steady/full/save/cpuu", "unknown device \"cpuu\"; did you mean \"cpu\"?"},
      {"steady/full/save/cpu", "accepted"}};
  for (const auto& [id, message] : mistakes) {
    EXPECT_EQ(usage_error([&] {
                check_cell(parse_cell_id(id), kCatalog, {"cpu", "cuda"});
              }),
              message);
  }
}

}  // namespace
}  // namespace highwater
