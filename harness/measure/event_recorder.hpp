#pragma once

#include <vector>

#include "harness/measure/event_stream.hpp"

namespace highwater {

/// Makes the CUDA caching allocator tell every event, with the operator it happened in. At most
/// once a process: the allocator lets no listener go. The device must be initialised.
void start_recording_events();

/// What was told since.
std::vector<AllocatorEvent> recorded_events();

}  // namespace highwater
