#include "harness/measure/event_stream.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

const std::vector<AllocatorEvent> kEvents = {
    {"segment_alloc", 2097152, 0, 0x4000, ""},
    {"alloc", 4000, 1, 0x4200, "aten::empty", "block.0", "forward", 2}};

TEST(EventStream, TsvHasOneLineAnEventUnderAHeader) {
  EXPECT_EQ(to_tsv(kEvents),
            "action\taddr\tsize\tstream\twhere\tmodule\tphase\tstep\n"
            "segment_alloc\t16384\t2097152\t0\t\t\t\t0\n"
            "alloc\t16896\t4000\t1\taten::empty\tblock.0\tforward\t2\n");
}

TEST(EventStream, SurvivesJson) {
  const EventStream stream{
      .events = kEvents,
      .driver = {.total = 3, .free_with_context = 2, .free_at_end = 1},
      .segments = {{0x4000, 2097152, 1, true, false, {{0x4200, 4096, 4000, "active_allocated"}}}}};
  const auto read = nlohmann::json::parse(nlohmann::json(stream).dump()).get<EventStream>();
  EXPECT_EQ(read.events, kEvents);
  EXPECT_EQ(read.driver.total, 3);
  EXPECT_EQ(read.driver.free_with_context, 2);
  EXPECT_EQ(read.driver.free_at_end, 1);
  ASSERT_EQ(read.segments.size(), 1U);
  EXPECT_EQ(read.segments[0].size, 2097152);
  EXPECT_EQ(read.segments[0].blocks.at(0).requested, 4000);
  EXPECT_EQ(read.segments[0].blocks.at(0).state, "active_allocated");
}

}  // namespace
}  // namespace highwater
