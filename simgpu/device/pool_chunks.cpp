#include "simgpu/device/pool_chunks.hpp"

#include <iterator>

namespace simgpu {

std::optional<Address> PoolChunks::take(std::uint64_t bytes) {
  const auto found = by_size_.lower_bound({bytes, 0});
  if (found == by_size_.end()) return std::nullopt;
  const auto [free_bytes, address] = *found;
  erase_free(address, free_bytes);
  if (free_bytes > bytes) insert_free(address + bytes, free_bytes - bytes);
  used_bytes_ += bytes;
  return address;
}

void PoolChunks::give_back(Address address, std::uint64_t bytes) {
  used_bytes_ -= bytes;
  const Chunk chunk = chunk_of(address);
  const auto next = free_.lower_bound(address);
  Address start = address;
  Address end = address + bytes;
  if (next != free_.begin()) {
    const auto [before, before_bytes] = *std::prev(next);
    if (before >= chunk.address && before + before_bytes == address) start = before;
  }
  if (next != free_.end() && next->first == end && end < chunk.address + chunk.bytes)
    end += next->second;
  if (end > address + bytes) erase_free(address + bytes, end - address - bytes);
  if (start < address) erase_free(start, address - start);
  insert_free(start, end - start);
}

void PoolChunks::add(const Chunk& chunk) {
  chunks_.emplace(chunk.address, chunk.bytes);
  insert_free(chunk.address, chunk.bytes);
  reserved_bytes_ += chunk.bytes;
}

std::vector<PoolChunks::Chunk> PoolChunks::remove_unused(std::uint64_t keep_bytes) {
  std::vector<Chunk> removed;
  for (auto at = chunks_.end(); at != chunks_.begin() && reserved_bytes_ > keep_bytes;) {
    const auto [address, bytes] = *--at;
    const auto free = free_.find(address);
    if (free == free_.end() || free->second != bytes) continue;
    erase_free(address, bytes);
    at = chunks_.erase(at);
    reserved_bytes_ -= bytes;
    removed.push_back({address, bytes});
  }
  return removed;
}

PoolChunks::Chunk PoolChunks::chunk_of(Address address) const {
  const auto [start, bytes] = *std::prev(chunks_.upper_bound(address));
  return {start, bytes};
}

void PoolChunks::insert_free(Address address, std::uint64_t bytes) {
  free_.emplace(address, bytes);
  by_size_.emplace(bytes, address);
}

void PoolChunks::erase_free(Address address, std::uint64_t bytes) {
  free_.erase(address);
  by_size_.erase({bytes, address});
}

}  // namespace simgpu
