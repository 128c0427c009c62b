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
  std::string module = {};  ///< whose forward, or whose gradient; empty where not known
  std::string phase = {};   ///< of the step; empty outside of any
  int step = 0;             ///< 1 is the first; 0 before it, while model and batch are made

  bool operator==(const AllocatorEvent&) const = default;
};

/// A block of a segment, as torch.cuda.memory_snapshot has it.
struct SegmentBlock {
  std::uint64_t address = 0;
  Bytes size = 0;       ///< rounded: what counts as allocated
  Bytes requested = 0;  ///< of the last request, 0 where none was
  std::string state;    ///< "active_allocated", "active_pending_free" or "inactive"
};

/// A stretch of memory that the allocator holds from the device; on the cpu each block is one.
struct AllocatorSegment {
  std::uint64_t address = 0;
  Bytes size = 0;
  int stream = 0;
  bool large = true;  ///< of the pool of large blocks
  bool expandable = false;
  std::vector<SegmentBlock> blocks;
};

/// What the driver said of the device's memory.
struct DriverMemory {
  Bytes total = 0;
  Bytes free_with_context = 0;  ///< after the context was made, before the first allocation
  Bytes free_at_end = 0;
};

/// All that the allocator did in one process, from its first event, what it holds at the end, and
/// the driver's view of it.
struct EventStream {
  std::vector<AllocatorEvent> events;
  DriverMemory driver;  ///< zeros on the cpu
  std::vector<AllocatorSegment> segments = {};
};

/// Tab-separated, one event a line under a header, as fidelity/event_streams.py reads it: action,
/// addr, size, stream, where (the operator), module, phase, step.
std::string to_tsv(const std::vector<AllocatorEvent>& events);

void to_json(nlohmann::json& json, const AllocatorEvent& event);
void from_json(const nlohmann::json& json, AllocatorEvent& event);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DriverMemory, total, free_with_context, free_at_end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SegmentBlock, address, size, requested, state)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AllocatorSegment, address, size, stream, large, expandable,
                                   blocks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EventStream, events, driver, segments)

}  // namespace highwater
