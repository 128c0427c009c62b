#pragma once

#include <cstdint>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// Fills `target` with what the host finds when it reads `bytes` bytes of device memory: what it
/// wrote there itself (shadow.hpp), and for everything else the answer that SIMGPU_READS chooses:
///
///   zeros    bytes of zero
///   ones     a one: integer 1 for a read of 1, 2, 4 or 8 bytes, otherwise 1 in every byte
///   FILE     scripted answers, see answers.hpp
///
/// Never garbage. A read of unknown bytes is noted (notes.hpp) with its operator. Thread-safe. A
/// wrong script ends the process with code 2.
SIMGPU_SHARED void read_device(void* target, Address source, std::uint64_t bytes);

/// Torch's allocator hands out device memory, whoever had it before. Within an operator that has
/// read unknown bytes, its size may depend on them: that is noted (notes.hpp) under the operator's
/// name.
void device_memory_changes_hands(Address address, std::uint64_t bytes);

/// Reads so far that found bytes the simulation does not know.
SIMGPU_SHARED std::uint64_t unknown_reads();

}  // namespace simgpu
