#include <algorithm>
#include <stdexcept>

#include "fidelity/allocator/allocator.hpp"

/// Expandable segments: each stream has one range of addresses per pool, larger than the device,
/// that is mapped page by page from its start as blocks are needed.

namespace highwater::oracle {

/// Maps what is missing at the lowest place where the request can fit. What was mapped before
/// memory ran out stays mapped.
Block* Allocator::grow(const Want& want) {
  Block* place = find_room(want);
  if (place->state == State::unmapped) place = map(*place, std::min(place->bytes, want.bytes));
  while (place && place->bytes < want.bytes) {
    Block* const next = blocks_.after(*place);
    if (!next || next->state != State::unmapped)
      throw std::logic_error("an expandable segment has no room where it was found");
    place = map(*next, std::min(next->bytes, want.bytes - place->bytes));
  }
  if (place) shelf(want.pool).free.erase(place);
  return place;
}

/// The first unmapped stretch of the stream and pool, with the free block before it, from which on
/// enough is unmapped or free; else a new range of addresses.
Block* Allocator::find_room(const Want& want) {
  const auto is_usable = [](const Block* block) {
    return block && (block->state == State::free || block->state == State::unmapped);
  };
  for (const auto& [address, segment] : segments_) {
    if (!segment.is_expandable() || segment.stream != want.stream || segment.pool != want.pool)
      continue;
    for (Block* block = blocks_.find(address); block; block = blocks_.after(*block)) {
      if (block->state != State::unmapped) continue;
      Block* const before = blocks_.before(*block);
      Block* const first = is_usable(before) ? before : block;
      Bytes room = 0;
      for (const Block* part = first; room < want.bytes && is_usable(part);
           part = blocks_.after(*part))
        room += part->bytes;
      if (room >= want.bytes) return first;
    }
  }
  const Bytes page = want.pool == Pool::small ? 2 * mib : settings_.large_segment_bytes;
  const Address base = driver_.reserve(want.stream, page);
  const Bytes bytes = (driver_.reservation_bytes() + page - 1) / page * page;
  const Segment* owner = add_segment({base, bytes, want.stream, want.pool, page});
  return &blocks_.insert({owner, base, bytes, State::unmapped});
}

/// Maps whole pages from the start of an unmapped block on, `bytes` or more; answers the free block
/// that holds them, on the shelf. Null when out of memory.
Block* Allocator::map(Block& block, Bytes bytes) {
  const Bytes page = block.segment->page;
  const Bytes mapped = (bytes + page - 1) / page * page;
  const Address address = block.address;
  if (!driver_.map(address, mapped)) return nullptr;
  if (mapped < block.bytes) {
    blocks_.insert({block.segment, address + mapped, block.bytes - mapped, State::unmapped});
    block.bytes = mapped;
  }
  block.state = State::free;
  Block& whole = merge_with_neighbours(block);
  put_on_shelf(whole);
  reserved_ += mapped;
  emit(Action::segment_map, address, mapped, whole.segment->stream);
  return &whole;
}

/// Gives back the whole pages of a free block; the parts of pages at its ends stay.
void Allocator::unmap(Block& block) {
  const Segment& segment = *block.segment;
  const auto page_up = [&](Address address) {
    return segment.address +
           (address - segment.address + segment.page - 1) / segment.page * segment.page;
  };
  const Address begin = page_up(block.address);
  const Address end =
      segment.address + (block.end() - segment.address) / segment.page * segment.page;
  if (begin >= end) return;
  const Address block_end = block.end();
  shelf(segment.pool).free.erase(&block);
  Block* pages = &block;
  if (begin > block.address) {
    block.bytes = begin - block.address;
    put_on_shelf(block);
    pages = &blocks_.insert({&segment, begin, 0});
  }
  if (block_end > end) put_on_shelf(blocks_.insert({&segment, end, block_end - end}));
  pages->bytes = end - begin;
  pages->state = State::unmapped;
  const Block& whole = merge_with_neighbours(*pages);
  driver_.unmap(begin, end - begin);
  reserved_ -= end - begin;
  emit(Action::segment_unmap, begin, end - begin, segment.stream);
  if (whole.is_split()) return;
  driver_.unreserve(segment.address);
  blocks_.erase(whole);
  segments_.erase(segment.address);
}

}  // namespace highwater::oracle
