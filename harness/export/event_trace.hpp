#pragma once

#include <string>
#include <vector>

#include "harness/measure/event_stream.hpp"

namespace highwater {

/// A trace (trace_file.hpp) of every event of the allocator in one cell's process, from the first
/// on: counters of the bytes that the program had asked for and not yet given back, and of those
/// that the allocator held from the device; operators as spans. Events have an order and no times:
/// the n-th one stands at n us. A freed block that still waits for a stream no longer counts as
/// asked for.
std::string event_trace_json(const std::string& cell, const std::vector<AllocatorEvent>& events);

}  // namespace highwater
