#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"

namespace highwater {

/// One event of the caching allocator, as its own trace tells it.
struct AllocatorEvent {
  /// "alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map",
  /// "segment_unmap", "snapshot" or "oom": the words of PyTorch's memory snapshots.
  std::string action;
  Bytes size = 0;  ///< requested for alloc and free, the segment's own for segment_*
  int stream = 0;  ///< 0 is the default stream, others are numbered as they first appear
  std::uint64_t address = 0;
  std::string op;  ///< innermost operator or autograd node running in the thread; may be empty

  bool operator==(const AllocatorEvent&) const = default;
};

/// What the driver said of the device's memory.
struct DriverMemory {
  Bytes total = 0;
  Bytes free_with_context = 0;  ///< after the context was made, before the first allocation
  Bytes free_at_end = 0;
};

/// All that the allocator did in one process, from its first event, and the driver's view of it.
struct EventStream {
  std::vector<AllocatorEvent> events;
  DriverMemory driver;
};

/// Tab-separated, one event a line under a header, as fidelity/event_streams.py reads it: action,
/// addr, size, stream, where (the operator).
std::string to_tsv(const std::vector<AllocatorEvent>& events);

void to_json(nlohmann::json& json, const AllocatorEvent& event);
void from_json(const nlohmann::json& json, AllocatorEvent& event);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DriverMemory, total, free_with_context, free_at_end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EventStream, events, driver)

}  // namespace highwater
