#pragma once

#include <c10/core/Device.h>

#include "harness/measure/inspection.hpp"

namespace highwater {

/// What the CUDA caching allocator says of itself now. The device must be initialised.
AllocatorSummary allocator_summary(c10::DeviceIndex device);

/// The figures at rest, from the allocator's segments as they are now; those of the peak are 0.
Fragmentation fragmentation_at_rest(c10::DeviceIndex device);

}  // namespace highwater
