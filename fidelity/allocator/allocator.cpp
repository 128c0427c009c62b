#include "fidelity/allocator/allocator.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace highwater::oracle {

Allocator::Allocator(Driver& driver, Settings settings, Rules rules)
    : driver_(driver), settings_(std::move(settings)), rules_(std::move(rules)) {}

void Allocator::adopt(const Layout& layout) {
  for (const SegmentLayout& held : layout) {
    const Segment* owner = add_segment({held.address, held.bytes, held.stream, held.pool});
    reserved_ += held.bytes;
    for (const BlockLayout& part : held.blocks) {
      Block& block =
          blocks_.insert({owner, part.address, part.bytes, State::allocated, part.requested});
      if (!part.is_allocated) put_on_shelf(block);
    }
  }
}

std::optional<Address> Allocator::allocate(Bytes request, Stream stream) {
  complete_done_frees();
  const Bytes bytes = rules_.block_bytes(request, settings_);
  const Want want{bytes, stream, rules_.pool_of(bytes)};
  Block* block = find_free(want);
  if (!block) block = obtain(want);
  if (!block) {
    emit(Action::oom, 0, bytes, stream);
    return std::nullopt;
  }
  if (block->bytes > bytes && rules_.splits(want.pool, bytes, block->bytes - bytes, settings_))
    cut(*block, bytes);
  block->state = State::allocated;
  block->requested = request;
  emit(Action::alloc, block->address, request, stream);
  return block->address;
}

void Allocator::free(Address address) {
  Block& block = allocated_block(address);
  emit(Action::free_requested, address, block.requested, block.segment->stream);
  block.state = State::waiting;
  for (const Stream user : std::exchange(block.users, {})) {
    waiting_[user].emplace_back(driver_.record(user), &block);
    ++block.marks;
  }
  if (block.marks == 0) complete(block);
}

void Allocator::use(Address address, Stream stream) {
  Block& block = allocated_block(address);
  if (stream == block.segment->stream) return;
  if (std::ranges::find(block.users, stream) == block.users.end()) block.users.push_back(stream);
}

Layout Allocator::layout() const {
  Layout layout;
  const Block* previous = nullptr;
  for (const auto& [address, block] : blocks_) {
    const bool continues =
        previous && previous->segment == block.segment && previous->state != State::unmapped;
    previous = &block;
    if (block.state == State::unmapped) continue;
    const Segment& segment = *block.segment;
    if (!continues) layout.push_back({address, 0, segment.pool, segment.stream, {}});
    layout.back().bytes += block.bytes;
    layout.back().blocks.push_back(
        {address, block.bytes, block.requested, block.state == State::allocated});
  }
  return layout;
}

std::vector<Block*> Allocator::sorted_free(Pool pool) {
  std::vector<Block*> sorted(shelf(pool).free.begin(), shelf(pool).free.end());
  std::ranges::sort(sorted, [&](const Block* left, const Block* right) {
    return rules_.precedes(left->spot(), right->spot());
  });
  return sorted;
}

void Allocator::emit(Action action, Address address, Bytes bytes, Stream stream) {
  events_.push_back({action, address, bytes, stream});
}

Block& Allocator::allocated_block(Address address) {
  Block* block = blocks_.find(address);
  if (!block || block->state != State::allocated)
    throw std::invalid_argument("no allocated block begins at address " + std::to_string(address));
  return *block;
}

Block* Allocator::find_free(const Want& want) {
  if (collects_garbage()) ++shelf(want.pool).searches;
  Block* found = best_fit(want);
  if (!found || !rules_.serves(want.bytes, found->bytes, settings_)) return nullptr;
  shelf(want.pool).free.erase(found);
  return found;
}

/// With expandable segments, a block that can grow counts as large as it can become, so the search
/// goes on while the next one would stay smaller. Without them, blocks left in such segments are
/// passed over.
Block* Allocator::best_fit(const Want& want) {
  std::vector<Block*> fitting;
  for (Block* block : shelf(want.pool).free)
    if (block->segment->stream == want.stream && block->bytes >= want.bytes &&
        (settings_.expandable_segments || !block->segment->is_expandable()))
      fitting.push_back(block);
  std::ranges::sort(fitting, [&](const Block* left, const Block* right) {
    return rules_.precedes(left->spot(), right->spot());
  });
  const auto size_when_grown = [&](const Block& block) {
    const Block* next = blocks_.after(block);
    return block.bytes + (next && next->state == State::unmapped ? next->bytes : 0);
  };
  auto best = fitting.begin();
  while (best != fitting.end() && (*best)->segment->is_expandable() &&
         std::next(best) != fitting.end() &&
         size_when_grown(**std::next(best)) < size_when_grown(**best))
    ++best;
  return best == fitting.end() ? nullptr : *best;
}

Block* Allocator::obtain(const Want& want) {
  if (collects_garbage()) collect_garbage();
  if (Block* block = new_segment(want)) return block;
  if (release_oversize(want))
    if (Block* block = new_segment(want)) return block;
  empty_cache();
  return new_segment(want);
}

Block* Allocator::new_segment(const Want& want) {
  const Bytes bytes = rules_.segment_bytes(want.bytes, settings_);
  if (settings_.allowed_bytes != unlimited && reserved_ + bytes > settings_.allowed_bytes)
    return nullptr;
  if (settings_.expandable_segments) return grow(want);
  const auto address = driver_.allocate(bytes);
  if (!address) return nullptr;
  reserved_ += bytes;
  const Segment* owner = add_segment({*address, bytes, want.stream, want.pool});
  emit(Action::segment_alloc, *address, bytes, want.stream);
  return &blocks_.insert({owner, *address, bytes});
}

const Segment* Allocator::add_segment(Segment segment) {
  segment.number = ++segments_fetched_;
  return &segments_.emplace(segment.address, segment).first->second;
}

void Allocator::cut(Block& block, Bytes bytes) {
  Block rest{block.segment, block.address + bytes, block.bytes - bytes};
  block.bytes = bytes;
  put_on_shelf(blocks_.insert(rest));
}

void Allocator::put_on_shelf(Block& block) {
  Shelf& place = shelf(block.segment->pool);
  block.state = State::free;
  block.free_since = place.searches;
  place.free.insert(&block);
}

bool Allocator::can_merge(const Block& block, const Block* neighbour) const {
  return neighbour && neighbour->state == block.state &&
         rules_.merges(block.spot(), neighbour->spot());
}

/// The lower of two blocks stays. `block` must be free or unmapped, and in the latter case as its
/// neighbours are.
Block& Allocator::merge_with_neighbours(Block& block) {
  const auto absorb = [this](Block& lower, Block& upper) {
    shelf(lower.segment->pool).free.erase(&upper);
    lower.bytes += upper.bytes;
    blocks_.erase(upper);
  };
  Block* whole = &block;
  if (Block* before = blocks_.before(block); can_merge(block, before)) {
    absorb(*before, block);
    whole = before;
  }
  if (Block* after = blocks_.after(*whole); can_merge(*whole, after)) absorb(*whole, *after);
  return *whole;
}

}  // namespace highwater::oracle
