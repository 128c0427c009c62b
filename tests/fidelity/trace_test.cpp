#include "fidelity/allocator/trace.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "fidelity/allocator/oracle_subject.hpp"
#include "fidelity/allocator/replay.hpp"
#include "tests/support/own_path.hpp"

namespace highwater::oracle {
namespace {

/// An invented history: an empty_cache, a block in an old segment, a new segment, and a free.
const char* const events_text =
    "action\taddr\tsize\tstream\ttime_us\n"
    "segment_free\t41943040\t20971520\t0\t1\n"
    "alloc\t2098176\t700\t0\t2\n"
    "segment_alloc\t83886080\t12582912\t0\t3\n"
    "alloc\t83886080\t12000000\t0\t3\n"
    "free_requested\t2098176\t700\t0\t4\n"
    "free_completed\t2098176\t700\t0\t4\n";
const char* const segments_text =
    "segment_addr\ttotal_size\tsegment_type\tblock_addr\tblock_size\trequested_size\tstate\n"
    "2097152\t2097152\tsmall\t2098176\t2096128\t0\tinactive\n"
    "2097152\t2097152\tsmall\t2097152\t1024\t1000\tactive_allocated\n"
    "83886080\t12582912\tlarge\t83886080\t12582912\t12000000\tactive_allocated\n";

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = ::testing_support::own_path(name);
  std::ofstream(path) << text;
  return path;
}

Trace trace_of(const std::string& events, const std::string& segments = segments_text) {
  return read_trace(file_with("events.tsv", events), file_with("segments.tsv", segments));
}

TEST(Trace, FindsWhatWasHeldAtItsStart) {
  const Layout expected = {{2097152,
                            2097152,
                            Pool::small,
                            0,
                            {{2097152, 1024, 1000, true}, {2098176, 2096128, 0, false}}},
                           {41943040, 20971520, Pool::large, 0, {{41943040, 20971520, 0, false}}}};
  EXPECT_EQ(trace_of(events_text).start(), expected);
}

TEST(Trace, IsMadeOfCalls) {
  const auto calls = calls_of(trace_of(events_text));
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[0].kind, Call::Kind::empty_cache);
  EXPECT_EQ(calls[1].bytes, 700u);
  EXPECT_EQ(calls[2].events.size(), 2u);
  EXPECT_EQ(calls[3].kind, Call::Kind::free);
}

TEST(Trace, IsRepeatedByTheOracle) {
  const Trace trace = trace_of(events_text);
  OracleSubject oracle(trace.events, {}, {});
  oracle.adopt(trace.start());
  const Replay result = replay(trace, oracle);
  EXPECT_EQ(result.comparison.mismatches(), 0u);
  EXPECT_EQ(result.allocations, 2u);
  EXPECT_TRUE(result.is_end_equal);
}

TEST(Trace, TellsTheFirstDifferenceOfAReplay) {
  Trace trace = trace_of(events_text);
  trace.events[1].address += 512;
  trace.events[4].address += 512;
  trace.events[5].address += 512;
  OracleSubject oracle(trace.events, {}, {});
  oracle.adopt(trace.start());
  const Replay result = replay(trace, oracle);
  EXPECT_EQ(result.misplaced, 1u);
  EXPECT_EQ(result.comparison.mismatches(), 3u);
  ASSERT_TRUE(result.comparison.first());
  EXPECT_EQ(
      to_text(*result.comparison.first()),
      "event 1: expected alloc of 700 bytes at 0x200600 on stream 0x0, seen alloc of 700 bytes at "
      "0x200400 on stream 0x0");
}

TEST(Trace, RefusesWhatItCannotRepeat) {
  const std::string heading = "action\taddr\tsize\tstream\n";
  EXPECT_THROW(trace_of(heading + "free_requested\t512\t512\t0\n").start(), std::runtime_error);
  EXPECT_THROW(calls_of(trace_of(heading + "free_requested\t512\t512\t0\nalloc\t1024\t1\t0\n"
                                           "free_completed\t512\t512\t0\n")),
               std::runtime_error);
  EXPECT_THROW(calls_of(trace_of(heading + "segment_map\t512\t512\t0\n")), std::runtime_error);
  EXPECT_THROW(calls_of(trace_of(heading + "segment_alloc\t512\t512\t0\n")), std::runtime_error);
}

TEST(Trace, NamesTheLineThatCannotBeRead) {
  const auto complaint = [](const std::string& events) -> std::string {
    try {
      trace_of(events);
      return "no complaint";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_NE(complaint("action\taddr\tsize\tstream\nalloc\tten\t1\t0\n").find("line 2: has 'ten'"),
            std::string::npos);
  EXPECT_NE(complaint("action\taddr\tsize\tstream\nmelt\t1\t1\t0\n").find("'melt'"),
            std::string::npos);
  EXPECT_NE(complaint("action\taddr\tsize\nalloc\t1\t1\n").find("has no stream"),
            std::string::npos);
}

}  // namespace
}  // namespace highwater::oracle
