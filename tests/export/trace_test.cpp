#include <gtest/gtest.h>

#include "harness/export/event_trace.hpp"
#include "tests/export/export_sample.hpp"

namespace highwater {
namespace {

CellRecord with_phases() {
  CellRecord record = sample_record("baseline", 30);
  record.outcome.metrics.insert({{"zero_grad_peak_allocated_bytes", 10},
                                 {"forward_peak_allocated_bytes", 20},
                                 {"backward_peak_allocated_bytes", 30},
                                 {"optimizer_peak_allocated_bytes", 25},
                                 {"rest_allocated_bytes", 9}});
  return record;
}

using Point = std::pair<std::int64_t, std::int64_t>;

/// Times and bytes of a counter.
std::vector<Point> counter(const nlohmann::json& trace, const std::string& name) {
  std::vector<Point> points;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "C" || event.at("name") != name) continue;
    points.emplace_back(event.at("ts"), event.at("args").at("bytes"));
  }
  return points;
}

/// Names, begins and durations of the spans.
std::vector<std::tuple<std::string, int, int>> spans(const nlohmann::json& trace) {
  std::vector<std::tuple<std::string, int, int>> found;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X")
      found.emplace_back(event.at("name"), event.at("ts"), event.at("dur"));
  }
  return found;
}

const std::string kPhaseCounter = "allocated bytes (peak of the phase)";

TEST(ChromeTraceExport, PhasesFollowEachOtherInTheOrderOfAStep) {
  const auto trace = SampleExport({with_phases()}).json("chrome-trace");
  EXPECT_EQ(spans(trace),
            (std::vector<std::tuple<std::string, int, int>>{{"zero_grad", 0, 1000},
                                                            {"forward", 1000, 1000},
                                                            {"backward", 2000, 1000},
                                                            {"optimizer", 3000, 1000}}));
}

TEST(ChromeTraceExport, TheCounterHoldsEachPhasesPeakAndThenWhatRests) {
  const auto trace = SampleExport({with_phases()}).json("chrome-trace");
  EXPECT_EQ(counter(trace, kPhaseCounter),
            (std::vector<Point>{{0, 10}, {1000, 20}, {2000, 30}, {3000, 25}, {4000, 9}}));
}

TEST(ChromeTraceExport, SaysThatItsTimeIsAnOrder) {
  const auto trace = SampleExport({with_phases()}).json("chrome-trace");
  EXPECT_NE(trace.at("otherData").at("time").get<std::string>().find("nothing was timed"),
            std::string::npos);
}

TEST(ChromeTraceExport, EachCellIsANamedProcessAndOneWithoutPhasesIsLeftOut) {
  auto other = with_phases();
  other.cell = parse_cell_id(sample_id("save"));
  const auto trace = SampleExport({with_phases(), sample_record("plain", 1),
                                   unmeasured_record("half", OutcomeKind::skipped, "no"), other})
                         .json("chrome-trace");
  std::map<int, std::string> names;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") names[event.at("pid")] = event.at("args").at("name");
  }
  EXPECT_EQ(names,
            (std::map<int, std::string>{{1, sample_id("baseline")}, {2, sample_id("save")}}));
}

TEST(ChromeTraceExport, TheHighEndIsACounterOfItsOwn) {
  auto record = with_phases();
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"forward_peak_allocated_bytes", 22}};
  const auto trace = SampleExport({record}).json("chrome-trace");
  EXPECT_EQ(counter(trace, kPhaseCounter + ", high end"),
            (std::vector<Point>{{0, 10}, {1000, 22}, {2000, 30}, {3000, 25}, {4000, 9}}));
}

nlohmann::json trace_of(const std::vector<AllocatorEvent>& events) {
  return nlohmann::json::parse(event_trace_json("cell", events));
}

TEST(EventTrace, CountsWhatIsAskedForUntilItIsFreedAndNotUntilItsStreamIsDone) {
  const auto trace = trace_of({{"alloc", 100, 0, 1, ""},
                               {"alloc", 50, 0, 2, ""},
                               {"free_requested", 100, 0, 1, ""},
                               {"free_completed", 100, 0, 1, ""}});
  EXPECT_EQ(counter(trace, "requested bytes"), (std::vector<Point>{{0, 100}, {1, 150}, {2, 50}}));
}

TEST(EventTrace, CountsWhatIsHeldFromTheDevice) {
  const auto trace = trace_of({{"segment_alloc", 200, 0, 1, ""},
                               {"segment_map", 30, 0, 2, ""},
                               {"segment_unmap", 10, 0, 2, ""},
                               {"segment_free", 200, 0, 1, ""}});
  EXPECT_EQ(counter(trace, "reserved bytes"),
            (std::vector<Point>{{0, 200}, {1, 230}, {2, 220}, {3, 20}}));
}

TEST(EventTrace, NeighbouringEventsOfAnOperatorAreOneSpan) {
  const auto trace = trace_of({{"alloc", 1, 0, 1, "mm"},
                               {"alloc", 1, 0, 2, "mm"},
                               {"alloc", 1, 0, 3, ""},
                               {"alloc", 1, 0, 4, "mm"}});
  EXPECT_EQ(spans(trace),
            (std::vector<std::tuple<std::string, int, int>>{{"mm", 0, 2}, {"mm", 3, 1}}));
}

}  // namespace
}  // namespace highwater
