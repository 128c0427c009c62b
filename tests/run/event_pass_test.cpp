#include "harness/run/event_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/run/rate_pass.hpp"

namespace highwater {
namespace {

const Cell kCell{.model = "mlp", .preset = "twin", .technique = "baseline", .device = "sim:h200"};

Bytes total(const std::vector<AllocatorEvent>& events, std::string_view action) {
  Bytes bytes = 0;
  for (const AllocatorEvent& event : events) bytes += event.action == action ? event.size : 0;
  return bytes;
}

TEST(EventPassSim, SegmentsAreWhatTheDriverMisses) {
  const EventStream stream = record_events(kCell, Protocol{});
  EXPECT_GT(total(stream.events, "segment_alloc"), 0);
  EXPECT_EQ(total(stream.events, "segment_alloc") - total(stream.events, "segment_free"),
            stream.driver.free_with_context - stream.driver.free_at_end);
  EXPECT_EQ(total(stream.events, "free_requested"), total(stream.events, "free_completed"));
}

TEST(EventPassSim, EventsNameTheOperatorTheyHappenedIn) {
  const EventStream stream = record_events(kCell, Protocol{});
  const auto is_in = [&](std::string_view op) {
    return std::ranges::any_of(stream.events, [&](const auto& event) { return event.op == op; });
  };
  EXPECT_TRUE(is_in("aten::empty_strided") || is_in("aten::empty")) << to_tsv(stream.events);
  EXPECT_TRUE(is_in("aten::addmm")) << to_tsv(stream.events);
}

TEST(EventPassSim, EventsNameStepPhaseAndModule) {
  const Protocol protocol;
  const EventStream stream = record_events(kCell, protocol);
  EXPECT_EQ(stream.events.front().step, 0);
  EXPECT_EQ(stream.events.back().step, protocol.warmup_steps + protocol.measured_steps);
  const auto is_in = [&](std::string_view phase) {
    return std::ranges::any_of(stream.events, [&](const auto& event) {
      return event.phase == phase && !event.module.empty();
    });
  };
  EXPECT_TRUE(is_in("forward")) << to_tsv(stream.events);
  EXPECT_TRUE(is_in("backward")) << to_tsv(stream.events);
}

TEST(EventPassSim, SegmentsHoldWhatLivesAtTheEnd) {
  const EventStream stream = record_events(kCell, Protocol{});
  Bytes requested = 0;
  Bytes held = 0;
  for (const AllocatorSegment& segment : stream.segments) {
    held += segment.size;
    Bytes blocks = 0;
    for (const SegmentBlock& block : segment.blocks) {
      blocks += block.size;
      if (block.state == "active_allocated") requested += block.requested;
    }
    EXPECT_EQ(blocks, segment.size);
  }
  EXPECT_EQ(requested, total(stream.events, "alloc") - total(stream.events, "free_requested"));
  EXPECT_EQ(held, total(stream.events, "segment_alloc") - total(stream.events, "segment_free"));
}

TEST(EventPass, OnTheCpuEventsAreBirthsAndDeaths) {
  Cell cell = kCell;
  cell.device = "cpu";
  const EventStream stream = record_events(cell, Protocol{});
  Bytes held = 0;
  for (const AllocatorSegment& segment : stream.segments) held += segment.size;
  EXPECT_GT(held, 0);
  EXPECT_EQ(held, total(stream.events, "alloc") - total(stream.events, "free_completed"));
  EXPECT_TRUE(std::ranges::any_of(stream.events, [](const auto& event) {
    return event.phase == "backward" && !event.module.empty();
  })) << to_tsv(stream.events);
}

TEST(RatePassSim, EveryRateHasWorkAndTime) {
  const std::vector<Rate> rates = measure_rates("sim:h200");
  EXPECT_GT(rates.size(), 30U);
  for (const Rate& rate : rates) {
    EXPECT_GT(rate.work, 0) << rate.operation;
    EXPECT_GT(rate.nanoseconds, 0) << rate.operation;
  }
}

}  // namespace
}  // namespace highwater
