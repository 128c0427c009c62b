#include "harness/export/event_trace.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "harness/export/trace_file.hpp"

namespace highwater {
namespace {

/// What an action adds to a counter, a size at a time.
struct Effect {
  std::string_view action;
  const char* counter;
  int sign;
};

constexpr const char* kRequested = "requested bytes";
constexpr const char* kReserved = "reserved bytes";
constexpr std::array kEffects = {
    Effect{"alloc", kRequested, 1},        Effect{"free_requested", kRequested, -1},
    Effect{"segment_alloc", kReserved, 1}, Effect{"segment_map", kReserved, 1},
    Effect{"segment_free", kReserved, -1}, Effect{"segment_unmap", kReserved, -1},
};

void add_counters(TraceFile& trace, const std::vector<AllocatorEvent>& events) {
  std::map<std::string, Bytes> bytes;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto* effect = std::ranges::find(kEffects, events[i].action, &Effect::action);
    if (effect == kEffects.end()) continue;
    Bytes& now = bytes[effect->counter];
    now += effect->sign * events[i].size;
    trace.add_counter(effect->counter, static_cast<std::int64_t>(i), now);
  }
}

/// Neighbouring events of one operator are one span.
void add_operators(TraceFile& trace, const std::vector<AllocatorEvent>& events) {
  for (std::size_t begin = 0, end = 0; begin < events.size(); begin = end) {
    while (end < events.size() && events[end].op == events[begin].op) ++end;
    if (events[begin].op.empty()) continue;
    trace.add_span(events[begin].op, static_cast<std::int64_t>(begin),
                   static_cast<std::int64_t>(end - begin), {{"events", end - begin}});
  }
}

}  // namespace

std::string event_trace_json(const std::string& cell, const std::vector<AllocatorEvent>& events) {
  TraceFile trace;
  trace.begin_process(cell);
  add_counters(trace, events);
  add_operators(trace, events);
  return trace.text({{"cell", cell},
                     {"time", "an order only: the n-th event stands at n us, nothing was timed"},
                     {"bytes", "asked for by the program, and held from the device"}});
}

}  // namespace highwater
