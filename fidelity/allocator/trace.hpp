#pragma once

#include <filesystem>

#include "fidelity/allocator/layout.hpp"

namespace highwater::oracle {

/// A recorded memory history and the snapshot taken at its end, as tab-separated tables with a
/// heading: events with the columns action, addr, size, stream (further ones are not read),
/// segments with segment_addr, total_size, segment_type, block_addr, block_size, requested_size,
/// state.
struct Trace {
  std::vector<Event> events;
  Layout end;

  /// What the process held before the first event, found by undoing the events.
  Layout start() const;
};

/// Throws std::runtime_error, naming file and line, for what is not as above.
Trace read_trace(const std::filesystem::path& events, const std::filesystem::path& segments);

/// What was asked of the allocator, call by call, with the events each call made.
struct Call {
  enum class Kind { allocate, free, empty_cache };
  Kind kind;
  Bytes bytes = 0;      ///< allocate
  Address address = 0;  ///< free; allocate: what was answered
  Stream stream = 0;
  std::vector<Event> events;
};

/// A history does not tell calls of empty_cache: segments freed between two other calls are taken
/// for one. Throws std::runtime_error for a history that holds what it alone does not decide: a
/// free that completed later than it was requested, expandable segments, or running out of memory.
std::vector<Call> calls_of(const Trace& trace);

}  // namespace highwater::oracle
