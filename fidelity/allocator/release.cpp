#include <algorithm>
#include <stdexcept>

#include "fidelity/allocator/allocator.hpp"

namespace highwater::oracle {

/// Waits for pending frees, then gives back what is free and whole: large blocks first.
void Allocator::empty_cache() {
  wait_for_all_frees();
  release_unsplit(Pool::large);
  release_unsplit(Pool::small);
}

bool Allocator::collects_garbage() const {
  return settings_.allowed_bytes != unlimited && settings_.garbage_collection_threshold > 0;
}

/// Before a new segment is asked for, if more than the threshold is reserved: round after round,
/// gives back whole large blocks that have been free for at least the average number of searches,
/// until enough is back or a round finds none.
void Allocator::collect_garbage() {
  const auto threshold = static_cast<Bytes>(settings_.garbage_collection_threshold *
                                            static_cast<double>(settings_.allowed_bytes));
  if (reserved_ <= threshold) return;
  const Bytes goal = reserved_ - threshold;
  const auto age_of = [&](const Block& block) {
    return shelf(Pool::large).searches - block.free_since;
  };
  std::uint64_t total_age = 0;
  std::uint64_t count = 0;
  for (const Block* block : shelf(Pool::large).free) {
    if (block->is_split()) continue;
    total_age += age_of(*block);
    ++count;
  }
  Bytes collected = 0;
  for (bool found = true; found && collected < goal && count > 0;) {
    found = false;
    const double average = static_cast<double>(total_age) / static_cast<double>(count);
    for (Block* block : sorted_free(Pool::large)) {
      if (block->is_split() || !rules_.is_old(static_cast<double>(age_of(*block)), average))
        continue;
      found = true;
      collected += block->bytes;
      total_age -= age_of(*block);
      --count;
      release(*block);
    }
  }
}

/// Only with `max_split_bytes`: gives back one cached block that is large enough for the request,
/// or, if there is none, oversize blocks of the stream from the largest down. True if that may
/// suffice.
bool Allocator::release_oversize(const Want& want) {
  const Bytes limit = settings_.max_split_bytes;
  if (limit == unlimited) return false;
  const Bytes needed = std::max(want.bytes, limit);
  const auto sorted = sorted_free(want.pool);
  const auto from = std::ranges::lower_bound(sorted, Spot{want.stream, needed, 0}, rules_.precedes,
                                             [](const Block* block) { return block->spot(); });
  if (from != sorted.end() && (*from)->segment->stream == want.stream) {
    release(**from);
    return true;
  }
  Bytes released = 0;
  for (auto at = from; at != sorted.begin() && released < needed;) {
    Block& block = **--at;
    if (block.bytes < limit || block.segment->stream != want.stream) break;
    released += block.bytes;
    release(block);
  }
  return released >= needed;
}

void Allocator::release_unsplit(Pool pool) {
  std::vector<Block*> to_unmap;
  for (Block* block : sorted_free(pool)) {
    if (block->segment->is_expandable())
      to_unmap.push_back(block);
    else if (!block->is_split())
      release(*block);
  }
  for (Block* block : to_unmap) unmap(*block);
}

void Allocator::release(Block& block) {
  if (block.is_split()) throw std::logic_error("a segment is given back while parts are in use");
  const Segment segment = *block.segment;
  emit(Action::segment_free, segment.address, segment.bytes, segment.stream);
  driver_.free(segment.address, segment.bytes);
  reserved_ -= segment.bytes;
  shelf(segment.pool).free.erase(&block);
  blocks_.erase(block);
  segments_.erase(segment.address);
}

}  // namespace highwater::oracle
