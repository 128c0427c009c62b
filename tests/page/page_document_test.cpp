#include "harness/page/page_document.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::sample_run;
using Json = nlohmann::ordered_json;

const PeakProfile kProfile = {{"saved_activations", "forward", "block.0", "aten::gelu", 1, 40},
                              {"saved_activations", "forward", "block.1", "aten::gelu", 1, 40},
                              {"parameters", "before", "head", "", 2, 20}};

CellRecord with_profile(CellRecord record, const PeakProfile& profile) {
  record.outcome.profile = profile;
  return record;
}

Json document_of(const RunRecord& run, const Baselines& baselines = {},
                 const Catalog& catalog = {}) {
  const auto verdicts = judge(run, baselines);
  const std::vector<PageRun> runs = {{"a run", run, verdicts, baselines}};
  return page_document(runs, catalog);
}

const Json& cell_at(const Json& document, std::size_t place, std::size_t run = 0) {
  return document.at("runs").at(run).at("cells").at(place);
}

std::int64_t metric_at(const Json& document, const Json& cell, const std::string& id) {
  const Json& metrics = document.at("metrics");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].at("id") == id) return cell.at("metrics").at(i).get<std::int64_t>();
  }
  return -1;
}

/// The parts of a cell, read as the page reads them.
PeakProfile read_parts(const Json& document, const Json& cell) {
  PeakProfile parts;
  const Json& runs = cell.at("profile");
  const auto word = [&](const char* list, const Json& place) {
    return document.at(list).at(place.get<std::size_t>()).get<std::string>();
  };
  for (std::size_t i = 0; i < runs.size(); i += 2) {
    const auto first = runs[i].get<std::size_t>();
    for (std::size_t place = first; place < first + runs[i + 1].get<std::size_t>(); ++place) {
      const auto number = [&](std::size_t column) {
        return document.at("parts").at(6 * place + column);
      };
      parts.push_back({word("categories", number(0)), word("phases", number(1)),
                       word("modules", number(2)), word("operators", number(3)),
                       number(4).get<std::int64_t>(), number(5).get<Bytes>()});
    }
  }
  return parts;
}

TEST(PageDocument, HoldsEveryMetricOfACellInTheOrderOfItsList) {
  const Json document = document_of(sample_run({sample_record("baseline", 100)}));
  const Json& cell = cell_at(document, 0);
  EXPECT_EQ(metric_at(document, cell, "peak_allocated_bytes"), 100);
  EXPECT_EQ(metric_at(document, cell, "leak_bytes"), 0);
  EXPECT_EQ(cell.at("cell"), sample_id("baseline"));
  EXPECT_EQ(cell.at("verdict"), "new");
}

TEST(PageDocument, NamesTheCellThatSavingsAreMeasuredAgainst) {
  const Json document =
      document_of(sample_run({sample_record("save", 60), sample_record("save", 70, "other"),
                              sample_record("baseline", 100)}));
  EXPECT_EQ(cell_at(document, 0).at("baseline"), 2);
  EXPECT_FALSE(cell_at(document, 1).contains("baseline"));
}

TEST(PageDocument, PartsOfAProfileComeBackFolded) {
  const Json document =
      document_of(sample_run({with_profile(sample_record("baseline", 100), kProfile)}));
  EXPECT_EQ(read_parts(document, cell_at(document, 0)), folded(kProfile));
}

TEST(PageDocument, CellsShareThePartsThatTheyHaveInCommon) {
  PeakProfile other = kProfile;
  other.back().bytes = 30;
  const Json document =
      document_of(sample_run({with_profile(sample_record("baseline", 100), kProfile),
                              with_profile(sample_record("save", 110), other)}));
  EXPECT_EQ(document.at("parts").size(), 6U * 3);
  EXPECT_EQ(read_parts(document, cell_at(document, 0)), folded(kProfile));
  EXPECT_EQ(read_parts(document, cell_at(document, 1)), folded(other));
}

TEST(PageDocument, TheAcceptedProfileStandsInOnlyWhereItIsOfTheSamePeak) {
  const Baselines accepted =
      baselines_of(sample_run({with_profile(sample_record("baseline", 100), kProfile)}));
  const Json same = document_of(sample_run({sample_record("baseline", 100)}), accepted);
  EXPECT_EQ(read_parts(same, cell_at(same, 0)), folded(kProfile));
  EXPECT_TRUE(cell_at(same, 0).at("profile_is_accepted"));
  const Json moved = document_of(sample_run({sample_record("baseline", 101)}), accepted);
  EXPECT_FALSE(cell_at(moved, 0).contains("profile"));
}

TEST(PageDocument, ACellThatTheRunShouldHoldIsThereAsMissing) {
  const Baselines accepted = baselines_of(sample_run({sample_record("gone", 100)}));
  const Json document = document_of(sample_run({sample_record("baseline", 100)}), accepted);
  EXPECT_EQ(cell_at(document, 1).at("cell"), sample_id("gone"));
  EXPECT_EQ(cell_at(document, 1).at("outcome"), "missing");
  EXPECT_EQ(cell_at(document, 1).at("verdict"), "missing");
}

TEST(PageDocument, DeclarationsAreThoseOfTechniquesThatTheRunNames) {
  Catalog catalog;
  for (const char* name : {"half", "save", "other"}) {
    catalog.techniques.push_back({.name = name, .summary = std::string("of ") + name});
  }
  const Json document = document_of(
      sample_run({sample_record("save:4+half", 1), sample_record("+:+", 1)}), {}, catalog);
  EXPECT_EQ(document.at("techniques").size(), 2U);
  EXPECT_EQ(document.at("techniques").at("half").at("summary"), "of half");
  EXPECT_TRUE(document.at("techniques").contains("save"));
}

TEST(PageDocument, ASecondRunStandsBesideTheFirst) {
  const RunRecord before = sample_run({sample_record("baseline", 90)});
  const RunRecord after = sample_run({sample_record("baseline", 100)});
  const auto verdicts = judge_against(before, after);
  const Baselines none;
  const std::vector<PageRun> runs = {{"after", after, verdicts, none},
                                     {"before", before, {}, none}};
  const Json document = page_document(runs, {});
  EXPECT_EQ(cell_at(document, 0, 0).at("verdict"), "regressed");
  EXPECT_EQ(cell_at(document, 0, 0).at("accepted").at("peak_allocated_bytes"), 90);
  EXPECT_EQ(metric_at(document, cell_at(document, 0, 1), "peak_allocated_bytes"), 90);
  EXPECT_FALSE(cell_at(document, 0, 1).contains("verdict"));
}

}  // namespace
}  // namespace highwater
