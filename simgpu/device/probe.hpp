#pragma once

#include <cstdint>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// Loads libsimgpu_probe.so from beside this library, once, so that the report knows what Torch's
/// allocator says of itself (probe/probe.cpp). Does nothing where no report is wanted
/// (SIMGPU_SESSION unset) or the process holds no libc10_cuda.so. To be called from inside an
/// allocation: only then is that allocator ready for certain, and its destructors yet to be
/// registered for the exit.
void start_probe();

/// What the probe calls once it follows Torch's allocator, before the first of the calls below.
SIMGPU_SHARED void probe_follows_allocations();

/// What the probe calls for every block that Torch hands out, under that allocator's lock.
SIMGPU_SHARED void probe_saw_allocation(Address address, std::uint64_t bytes);

}  // namespace simgpu
