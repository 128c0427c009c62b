#pragma once

#include "harness/config/protocol.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/measure/event_stream.hpp"

namespace highwater {

/// Trains the cell for the protocol's warm-up and measured steps in a process that has done nothing
/// else, and returns every event of the caching allocator from the first tensor to the end of the
/// last step, and what it then holds: what a simulation must repeat event for event. On the cpu,
/// which has no caching allocator, the events are births and deaths of blocks.
EventStream record_events(const Cell& cell, const Protocol& protocol);

}  // namespace highwater
