#include "harness/export/memory_snapshot.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/export/pickle.hpp"

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

std::string pickled(const Json& value) { return to_pickle(value); }

TEST(Pickle, NumbersBooleansAndNone) {
  EXPECT_EQ(pickled(-2), std::string("\x80\x02J\xfe\xff\xff\xff."));
  EXPECT_EQ(pickled(std::uint64_t{1} << 40),
            std::string("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x01\x00\x00.", 13));
  EXPECT_EQ(pickled(1.0), std::string("\x80\x02G\x3f\xf0\x00\x00\x00\x00\x00\x00.", 12));
  EXPECT_EQ(pickled(true), "\x80\x02\x88.");
  EXPECT_EQ(pickled(nullptr), "\x80\x02N.");
}

TEST(Pickle, AStringThatOccursAgainRefersToItsFirstTime) {
  EXPECT_EQ(pickled(Json::array({"ab", "ab"})), std::string("\x80\x02](X\x02\x00\x00\x00"
                                                            "abr\x00\x00\x00\x00j\x00\x00\x00\x00"
                                                            "e.",
                                                            23));
}

TEST(Pickle, LongListsComeInBatches) {
  const std::string text = pickled(Json(std::vector<bool>(1001, true)));
  EXPECT_EQ(text, "\x80\x02](" + std::string(1000, '\x88') +
                      "e(\x88"
                      "e.");
  EXPECT_EQ(pickled(Json::array()), "\x80\x02].");
}

TEST(Pickle, AnAddressOf64BitsIsRefused) {
  EXPECT_THROW(pickled(std::uint64_t{1} << 63), InternalError);
}

EventStream sample_stream() {
  return {
      .events = {{"segment_alloc", 2097152, 0, 0x1000, ""},
                 {"alloc", 100, 0, 0x1000, "aten::addmm", "block.0", "forward", 2},
                 {"alloc", 50, 0, 0x1200, "", "", "", 0},
                 {"free_requested", 50, 0, 0x1200, ""},
                 {"free_completed", 50, 0, 0x1200, ""}},
      .driver = {},
      .segments = {{0x1000,
                    2097152,
                    0,
                    false,
                    false,
                    {{0x1000, 512, 100, "active_allocated"}, {0x1200, 2096640, 0, "inactive"}}}}};
}

TEST(MemorySnapshot, FramesNameOperatorModulePhaseAndStep) {
  const Json snapshot = memory_snapshot("m/full/baseline/sim:h200", sample_stream());
  const Json& trace = snapshot["device_traces"][0];
  ASSERT_EQ(trace.size(), 5U);
  std::vector<std::string> names;
  for (const Json& frame : trace[1]["frames"]) names.push_back(frame["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"aten::addmm", "block.0", "forward of step 2"}));
  EXPECT_EQ(trace[2]["frames"][0]["name"], "before the first step");
}

TEST(MemorySnapshot, WithoutSegmentsEachBlockIsOne) {
  EventStream stream;
  stream.events = {{"alloc", 8, 0, 0x40, ""},
                   {"free_requested", 8, 0, 0x40, ""},
                   {"free_completed", 8, 0, 0x40, ""}};
  std::vector<std::string> actions;
  const Json snapshot = memory_snapshot("m", stream);
  for (const Json& entry : snapshot["device_traces"][0]) {
    actions.push_back(entry["action"]);
  }
  EXPECT_EQ(actions, (std::vector<std::string>{"segment_alloc", "alloc", "free_requested",
                                               "free_completed", "segment_free"}));
}

TEST(MemorySnapshot, SegmentsAddUpAndLivingBlocksKnowTheirBirth) {
  const Json snapshot = memory_snapshot("m/full/baseline/sim:h200", sample_stream());
  const Json& segment = snapshot["segments"][0];
  EXPECT_EQ(segment["total_size"], 2097152);
  EXPECT_EQ(segment["allocated_size"], 512);
  EXPECT_EQ(segment["requested_size"], 100);
  EXPECT_EQ(segment["segment_type"], "small");
  EXPECT_EQ(segment["blocks"][0]["frames"][0]["name"], "aten::addmm");
  EXPECT_TRUE(segment["blocks"][1]["frames"].empty());
}

}  // namespace
}  // namespace highwater
