#include "simgpu/device/pool.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "simgpu/device/capacity.hpp"
#include "simgpu/device/memory.hpp"
#include "simgpu/device/pool_chunks.hpp"

namespace simgpu {
namespace {

struct Pool {
  PoolChunks chunks;
  std::uint64_t used_high_bytes = 0;
  std::uint64_t reserved_high_bytes = 0;
  std::uint64_t release_threshold = 0;

  void note_highs() {
    used_high_bytes = std::max(used_high_bytes, chunks.used_bytes());
    reserved_high_bytes = std::max(reserved_high_bytes, chunks.reserved_bytes());
  }
};

struct Books {
  std::mutex mutex;  ///< not held while memory.hpp is called, which may call trim_pool
  std::map<int, Pool> pools;
};

/// Never destroyed: Torch's static destructors still free memory.
Books& books() {
  static Books& instance = *new Books;
  return instance;
}

template <typename Action>
auto with_pool(int device, Action action) {
  const std::lock_guard lock(books().mutex);
  return action(books().pools[device]);
}

/// On an almost full device whole chunks give way to the pages that are needed (an assumption).
std::uint64_t growth_for(int device, std::uint64_t piece) {
  const std::uint64_t chunk = (piece + pool_chunk_bytes - 1) / pool_chunk_bytes * pool_chunk_bytes;
  return chunk <= memory_info(device).free_bytes ? chunk : round_up_to_pages(piece);
}

std::optional<Address> take_piece(Pool& pool, std::uint64_t bytes) {
  const auto address = pool.chunks.take(bytes);
  pool.note_highs();
  return address;
}

}  // namespace

PoolUsage pool_usage(int device) {
  return with_pool(device, [](const Pool& pool) {
    return PoolUsage{{pool.chunks.used_bytes(), pool.used_high_bytes},
                     {pool.chunks.reserved_bytes(), pool.reserved_high_bytes}};
  });
}

void reset_pool_used_high(int device) {
  with_pool(device, [](Pool& pool) { pool.used_high_bytes = pool.chunks.used_bytes(); });
}

void reset_pool_reserved_high(int device) {
  with_pool(device, [](Pool& pool) { pool.reserved_high_bytes = pool.chunks.reserved_bytes(); });
}

std::uint64_t pool_release_threshold(int device) {
  return with_pool(device, [](const Pool& pool) { return pool.release_threshold; });
}

void set_pool_release_threshold(int device, std::uint64_t bytes) {
  with_pool(device, [&](Pool& pool) { pool.release_threshold = bytes; });
}

bool trim_pool(int device, std::uint64_t keep_bytes) {
  const auto unused =
      with_pool(device, [&](Pool& pool) { return pool.chunks.remove_unused(keep_bytes); });
  for (const PoolChunks::Chunk& chunk : unused) give_back_pages(device, chunk.address, chunk.bytes);
  return !unused.empty();
}

void pool_meets_synchronization(int device) { trim_pool(device, pool_release_threshold(device)); }

std::optional<Address> take_from_pool(int device, std::uint64_t bytes) {
  const std::uint64_t piece = round_up_to_pieces(bytes);
  const auto fitting = with_pool(device, [&](Pool& pool) { return take_piece(pool, piece); });
  if (fitting) return fitting;
  const std::uint64_t growth = growth_for(device, piece);
  const auto chunk = take_pages(device, growth);
  if (!chunk) return std::nullopt;
  return with_pool(device, [&](Pool& pool) {
    pool.chunks.add({*chunk, growth});
    return take_piece(pool, piece);
  });
}

void give_back_to_pool(int device, Address address, std::uint64_t bytes) {
  with_pool(device, [&](Pool& pool) { pool.chunks.give_back(address, bytes); });
}

}  // namespace simgpu
