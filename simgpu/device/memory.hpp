#pragma once

#include <cstdint>
#include <optional>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

enum class BlockKind {
  allocation,  ///< cudaMalloc: counts against capacity
  pooled,      ///< cudaMallocAsync: a piece of what the device's pool (pool.hpp) holds
  reserved,    ///< cuMemAddressReserve: addresses only; physical.hpp counts what is mapped there
};

/// One live range of device addresses.
struct Block {
  Address address = 0;
  std::uint64_t bytes = 0;       ///< as asked for
  std::uint64_t span_bytes = 0;  ///< rounded up to whole pages, or to pieces of a pool
  int device = 0;
  BlockKind kind = BlockKind::allocation;
};

/// A block of at least `bytes` (> 0) on `device`, 2 MiB aligned unless pooled. Nothing if the
/// device's capacity or the address space is exhausted. Thread-safe.
SIMGPU_SHARED std::optional<Address> allocate_block(int device, std::uint64_t bytes,
                                                    BlockKind kind);

/// Ends the block that starts at `address` and returns it. Nothing, and nothing changed, if no
/// block starts there: unknown address, inner address, or freed before. Thread-safe.
SIMGPU_SHARED std::optional<Block> release_block(Address address);

/// Whole pages of `device` for a pool to make blocks of, counted against its capacity; nothing if
/// they do not fit. Thread-safe.
std::optional<Address> take_pages(int device, std::uint64_t bytes);
void give_back_pages(int device, Address address, std::uint64_t bytes);

/// The live block that holds `address`. Thread-safe.
SIMGPU_SHARED std::optional<Block> find_block(Address address);

/// As `find_block`, for signal handlers: gives up (`known` = false) when the book-keeping is
/// locked, possibly by this very thread.
struct BlockLookup {
  bool known = false;
  std::optional<Block> block;
};
SIMGPU_SHARED BlockLookup try_find_block(Address address);

/// Whether [`pointer`, `pointer` + `bytes`) lies inside one live block.
SIMGPU_SHARED bool is_live_range(const void* pointer, std::uint64_t bytes);

}  // namespace simgpu
