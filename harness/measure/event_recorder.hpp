#pragma once

#include <c10/core/Allocator.h>

#include <memory>
#include <optional>
#include <vector>

#include "harness/core/phase.hpp"
#include "harness/measure/event_stream.hpp"

namespace highwater {

/// Makes the CUDA caching allocator tell every event, with the operator and the module it happened
/// in. At most once a process: the allocator lets no listener go. The device must be initialised.
void start_recording_events();

/// The same for the cpu, whose blocks are told of while this is installed (c10::DebugInfoGuard,
/// kind PROFILER_STATE): a birth is one "alloc", a death "free_requested" and "free_completed".
std::shared_ptr<c10::MemoryReportingInfoBase> cpu_event_listener();

/// Where in the training loop later events fall.
void mark_recorded_events(int step, std::optional<Phase> phase);

/// What was told since.
std::vector<AllocatorEvent> recorded_events();

/// What the caching allocator holds now.
std::vector<AllocatorSegment> held_segments();
/// The blocks of the cpu that were told of and live, each a segment.
std::vector<AllocatorSegment> held_cpu_segments();

}  // namespace highwater
