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
  void add(const char* action, Bytes size, void* stream, std::uint64_t address) {
    const std::scoped_lock lock(mutex_);
    events_.push_back({.action = action,
                       .size = size,
                       .stream = number_of(stream),
                       .address = address,
                       .op = running_operator(),
                       .module = current_origin().module,
                       .phase = phase_ ? std::string(to_text(*phase_)) : "",
                       .step = step_});
  }

  void mark(int step, std::optional<Phase> phase) {
    const std::scoped_lock lock(mutex_);
    step_ = step;
    phase_ = phase;
  }

  std::vector<AllocatorEvent> events() const {
    const std::scoped_lock lock(mutex_);
    return events_;
  }

  int stream_number(void* stream) {
    const std::scoped_lock lock(mutex_);
    return number_of(stream);
  }

 private:
  int number_of(void* stream) {
    return streams_.emplace(stream, static_cast<int>(streams_.size())).first->second;
  }

  mutable std::mutex mutex_;
  std::map<void*, int> streams_{{nullptr, 0}};
  std::vector<AllocatorEvent> events_;
  std::optional<Phase> phase_;
  int step_ = 0;
};

/// Never destroyed: the allocator tells of frees until the process ends.
Recorder& recorder() {
  static Recorder& instance = *new Recorder;
  return instance;
}

/// As long as the listener.
void trace_operations() {
  static const OperationTrace& trace = *new OperationTrace;
  static_cast<void>(trace);
}

/// A block whose birth was not heard is ignored when it is freed.
class CpuListener final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* pointer, std::int64_t size, std::size_t, std::size_t,
                         c10::Device device) override {
    if (!device.is_cpu() || size == 0) return;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const std::scoped_lock lock(mutex_);
    freed(address);
    if (size < 0) return;
    alive_[address] = size;
    recorder().add("alloc", size, nullptr, address);
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::vector<AllocatorSegment> segments() const {
    const std::scoped_lock lock(mutex_);
    std::vector<AllocatorSegment> all;
    for (const auto& [address, size] : alive_) {
      all.push_back({.address = address,
                     .size = size,
                     .blocks = {{address, size, size, "active_allocated"}}});
    }
    return all;
  }

 private:
  void freed(std::uint64_t address) {
    const auto found = alive_.find(address);
    if (found == alive_.end()) return;
    recorder().add("free_requested", found->second, nullptr, address);
    recorder().add("free_completed", found->second, nullptr, address);
    alive_.erase(found);
  }

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Bytes> alive_;
};

const std::shared_ptr<CpuListener>& cpu_listener() {
  static const auto& instance = *new std::shared_ptr<CpuListener>(std::make_shared<CpuListener>());
  return instance;
}

const char* state_of(const c10::CachingDeviceAllocator::BlockInfo& block) {
  if (block.allocated) return "active_allocated";
  return block.active ? "active_pending_free" : "inactive";
}

}  // namespace

void start_recording_events() {
  trace_operations();
  c10::cuda::CUDACachingAllocator::attachAllocatorTraceTracker([](const Entry& entry) {
    recorder().add(kActions[entry.action_], static_cast<Bytes>(entry.size_), entry.stream_,
                   entry.addr_);
  });
}

std::shared_ptr<c10::MemoryReportingInfoBase> cpu_event_listener() {
  trace_operations();
  return cpu_listener();
}

void mark_recorded_events(int step, std::optional<Phase> phase) { recorder().mark(step, phase); }

std::vector<AllocatorEvent> recorded_events() { return recorder().events(); }

std::vector<AllocatorSegment> held_segments() {
  std::vector<AllocatorSegment> all;
  for (const auto& info : c10::cuda::CUDACachingAllocator::snapshot().segments) {
    AllocatorSegment segment{.address = info.address,
                             .size = static_cast<Bytes>(info.total_size),
                             .stream = recorder().stream_number(info.stream),
                             .large = info.is_large,
                             .expandable = info.is_expandable,
                             .blocks = {}};
    std::uint64_t address = info.address;
    for (const auto& block : info.blocks) {
      segment.blocks.push_back({address, static_cast<Bytes>(block.size),
                                static_cast<Bytes>(block.requested_size), state_of(block)});
      address += block.size;
    }
    all.push_back(std::move(segment));
  }
  return all;
}

std::vector<AllocatorSegment> held_cpu_segments() { return cpu_listener()->segments(); }

}  // namespace highwater
