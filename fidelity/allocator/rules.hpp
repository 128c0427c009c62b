#pragma once

#include <cstdint>
#include <functional>

#include "fidelity/allocator/settings.hpp"

namespace highwater::oracle {

/// Requests up to 1 MiB (rounded) and larger ones never share a segment.
enum class Pool { small, large };

/// Where a free block stands when one is looked for.
struct Spot {
  Stream stream = 0;
  Bytes bytes = 0;
  Address address = 0;
  std::uint64_t segment = 0;  ///< the how many-th segment that was fetched
};

/// The published rules, one function each, as the comments at the head of
/// c10/cuda/CUDACachingAllocator.cpp and the memory notes of the Torch documentation
/// (docs/source/notes/cuda.rst, "Memory management") describe them and Torch 2.6 to 2.15 follow
/// them.
namespace published {

/// A multiple of 512 bytes, at least 512; with `power2_divisions`, the next step of the size's
/// power of two, for sizes that have more than 512 bytes a step.
Bytes block_bytes(Bytes request, const Settings& settings);

/// Small up to 1 MiB.
Pool pool_of(Bytes block);

/// What is asked of the driver: 2 MiB in the small pool; `large_segment_bytes` for blocks below
/// 10 MiB; else a multiple of 2 MiB.
Bytes segment_bytes(Bytes block, const Settings& settings);

/// Whether a found block of `wanted` + `rest` bytes is split: in the small pool and with expandable
/// segments from a rest of 512 bytes on; in the large pool if the rest is above 1 MiB and `wanted`
/// below `max_split_bytes`.
bool splits(Pool pool, Bytes wanted, Bytes rest, const Settings& settings);

/// Blocks of `max_split_bytes` and more are kept for requests of that size, and those take none
/// that is larger by `max_non_split_rounding_bytes` or more.
bool serves(Bytes wanted, Bytes found, const Settings& settings);

/// Best fit: by stream, then size, then address.
bool precedes(const Spot& left, const Spot& right);

/// The same in Torch 2.15 (pytorch/pytorch#183591): of equal blocks, the one in the segment that
/// was fetched first, then by address. What a program gets no longer depends on the driver's
/// addresses then.
bool precedes_by_segment(const Spot& left, const Spot& right);

/// Free neighbours become one block.
bool merges(const Spot& freed, const Spot& neighbour);

/// Garbage collection takes blocks that were passed over at least as often as the average one.
bool is_old(double age, double average);

}  // namespace published

/// What an Allocator follows. A broken policy, for tests, is this with one function replaced.
struct Rules {
  std::function<Bytes(Bytes, const Settings&)> block_bytes = published::block_bytes;
  std::function<Pool(Bytes)> pool_of = published::pool_of;
  std::function<Bytes(Bytes, const Settings&)> segment_bytes = published::segment_bytes;
  std::function<bool(Pool, Bytes, Bytes, const Settings&)> splits = published::splits;
  std::function<bool(Bytes, Bytes, const Settings&)> serves = published::serves;
  std::function<bool(const Spot&, const Spot&)> precedes = published::precedes;
  std::function<bool(const Spot&, const Spot&)> merges = published::merges;
  std::function<bool(double, double)> is_old = published::is_old;
};

}  // namespace highwater::oracle
