#pragma once

#include <cstdint>
#include <optional>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// Physical memory of the virtual-memory calls (cuMemCreate and friends), kept apart from
/// addresses: it counts against capacity from its creation until it is both released and mapped
/// nowhere.
using PhysicalHandle = std::uint64_t;

/// Nothing if the capacity is exhausted. `bytes` is a positive multiple of `page_bytes`.
SIMGPU_SHARED std::optional<PhysicalHandle> create_physical(int device, std::uint64_t bytes);

/// Drops the creator's reference; false for an unknown or already released handle.
SIMGPU_SHARED bool release_physical(PhysicalHandle handle);

/// Maps the whole handle at `address`. False if the range is not inside a reserved block, overlaps
/// another mapping, the handle is unknown, or `bytes` is not the handle's size.
SIMGPU_SHARED bool map_physical(Address address, std::uint64_t bytes, PhysicalHandle handle);

/// Ends all mappings that lie in the range. False, and nothing changed, if they do not fill it.
SIMGPU_SHARED bool unmap_physical(Address address, std::uint64_t bytes);

}  // namespace simgpu
