#include "harness/measure/event_stream.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

const std::vector<AllocatorEvent> kEvents = {{"segment_alloc", 2097152, 0, 0x4000, ""},
                                             {"alloc", 4000, 1, 0x4200, "aten::empty"}};

TEST(EventStream, TsvHasOneLineAnEventUnderAHeader) {
  EXPECT_EQ(to_tsv(kEvents),
            "action\taddr\tsize\tstream\twhere\n"
            "segment_alloc\t16384\t2097152\t0\t\n"
            "alloc\t16896\t4000\t1\taten::empty\n");
}

TEST(EventStream, SurvivesJson) {
  const EventStream stream{.events = kEvents,
                           .driver = {.total = 3, .free_with_context = 2, .free_at_end = 1}};
  const auto read = nlohmann::json::parse(nlohmann::json(stream).dump()).get<EventStream>();
  EXPECT_EQ(read.events, kEvents);
  EXPECT_EQ(read.driver.total, 3);
  EXPECT_EQ(read.driver.free_with_context, 2);
  EXPECT_EQ(read.driver.free_at_end, 1);
}

}  // namespace
}  // namespace highwater
