#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "simgpu/device/address_space.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

/// Which parts of a memory pool's chunks are in use. A chunk is what the pool took from the device
/// at once and can only give back whole ("the allocator cannot release OS allocations that back
/// outstanding asynchronous allocations", documentation of cudaMemPoolTrimTo). Arithmetic only:
/// touches no memory, takes no lock.
class SIMGPU_SHARED PoolChunks {
 public:
  struct Chunk {
    Address address;
    std::uint64_t bytes;
    bool operator==(const Chunk&) const = default;
  };

  /// The start of the smallest free range that holds `bytes` (> 0), or nothing. Best fit is an
  /// assumption: the driver's choice is not documented.
  std::optional<Address> take(std::uint64_t bytes);

  /// Returns what `take` gave, whole.
  void give_back(Address address, std::uint64_t bytes);

  void add(const Chunk& chunk);

  /// Removes chunks of which nothing is in use, as few as get the pool down to `keep_bytes`,
  /// highest first, and returns them.
  std::vector<Chunk> remove_unused(std::uint64_t keep_bytes);

  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t reserved_bytes() const { return reserved_bytes_; }

 private:
  Chunk chunk_of(Address address) const;
  void insert_free(Address address, std::uint64_t bytes);
  void erase_free(Address address, std::uint64_t bytes);

  std::map<Address, std::uint64_t> chunks_;              // start -> bytes
  std::map<Address, std::uint64_t> free_;                // start -> bytes; merged inside a chunk
  std::set<std::pair<std::uint64_t, Address>> by_size_;  // the same as bytes, start
  std::uint64_t used_bytes_ = 0;
  std::uint64_t reserved_bytes_ = 0;
};

}  // namespace simgpu
