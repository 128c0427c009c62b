#include "harness/measure/event_recorder.hpp"

#include <c10/cuda/CUDACachingAllocator.h>

#include <map>
#include <mutex>

#include "harness/measure/operation_trace.hpp"

namespace highwater {
namespace {

using Entry = c10::CachingDeviceAllocator::TraceEntry;

/// In the order of Entry::Action.
constexpr const char* kActions[] = {"alloc",         "free_requested", "free_completed",
                                    "segment_alloc", "segment_free",   "segment_map",
                                    "segment_unmap", "snapshot",       "oom"};
static_assert(std::size(kActions) == Entry::OOM + 1);

class Recorder {
 public:
  void add(const Entry& entry) {
    const std::scoped_lock lock(mutex_);
    events_.push_back({.action = kActions[entry.action_],
                       .size = static_cast<Bytes>(entry.size_),
                       .stream = number_of(entry.stream_),
                       .address = entry.addr_,
                       .op = running_operator()});
  }

  std::vector<AllocatorEvent> events() const {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

 private:
  int number_of(void* stream) {
    return streams_.emplace(stream, static_cast<int>(streams_.size())).first->second;
  }

  mutable std::mutex mutex_;
  std::map<void*, int> streams_{{nullptr, 0}};
  std::vector<AllocatorEvent> events_;
};

/// Never destroyed: the allocator tells of frees until the process ends.
Recorder& recorder() {
  static Recorder& instance = *new Recorder;
  return instance;
}

}  // namespace

void start_recording_events() {
  static const OperationTrace& trace = *new OperationTrace;  // as long as the listener
  static_cast<void>(trace);
  c10::cuda::CUDACachingAllocator::attachAllocatorTraceTracker(
      [](const Entry& entry) { recorder().add(entry); });
}

std::vector<AllocatorEvent> recorded_events() { return recorder().events(); }

}  // namespace highwater
