#pragma once

#include <cstdint>
#include <optional>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Pinned host memory is ordinary memory here; only the fact that it is pinned is kept.

/// Page-aligned zeroed memory (`bytes` > 0), or nullptr when the host has none left.
SIMGPU_SHARED void* allocate_pinned(std::uint64_t bytes);

/// False if `pointer` is not the start of an allocation of `allocate_pinned`.
SIMGPU_SHARED bool free_pinned(void* pointer);

/// False if the start is already pinned.
SIMGPU_SHARED bool register_pinned(void* pointer, std::uint64_t bytes);

/// False if `pointer` is not the start of a registered range.
SIMGPU_SHARED bool unregister_pinned(void* pointer);

SIMGPU_SHARED bool is_pinned(const void* pointer);

/// Makes a host range zero. Whole pages of pinned memory that is owned here are given back to the
/// system, which hands out zeros for them: gigabytes of activations that a program moves to the
/// host then take none of its memory.
SIMGPU_SHARED void fill_with_zeros(void* pointer, std::uint64_t bytes);

}  // namespace simgpu
