#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fidelity/allocator/block.hpp"
#include "fidelity/allocator/driver.hpp"
#include "fidelity/allocator/layout.hpp"

namespace highwater::oracle {

/// The policy of Torch's caching allocator for one device, written anew from its published
/// description; see README.md for what it covers. It holds no memory. Every step is an Event, in
/// the order in which Torch reports it; only the free_completed events of one call may come in
/// another order, because Torch keeps streams in a hash map.
class Allocator {
 public:
  /// `driver` must outlive the allocator.
  explicit Allocator(Driver& driver, Settings settings = {}, Rules rules = {});

  /// Takes over what a process held at some moment. Only for an allocator that holds nothing.
  void adopt(const Layout& layout);

  /// A block for `request` (> 0) bytes; nothing when out of memory.
  std::optional<Address> allocate(Bytes request, Stream stream);

  /// Throws std::invalid_argument where no allocated block begins.
  void free(Address address);

  /// record_stream: `stream` uses the block too, so its memory waits for that stream when freed.
  void use(Address address, Stream stream);

  void empty_cache();

  /// setMemoryFraction, in bytes.
  void allow(Bytes bytes) { settings_.allowed_bytes = bytes; }

  Bytes reserved_bytes() const { return reserved_; }
  /// Without unmapped addresses; an expandable segment counts as one segment per mapped stretch.
  Layout layout() const;
  /// The events since the last call.
  std::vector<Event> take_events() { return std::exchange(events_, {}); }

 private:
  struct Want {
    Bytes bytes;
    Stream stream;
    Pool pool;
  };
  struct Shelf {  // of one pool
    std::unordered_set<Block*> free;
    std::uint64_t searches = 0;
  };

  Shelf& shelf(Pool pool) { return shelves_[static_cast<std::size_t>(pool)]; }
  std::vector<Block*> sorted_free(Pool pool);
  void emit(Action action, Address address, Bytes bytes, Stream stream);
  Block& allocated_block(Address address);

  // allocator.cpp: requests
  Block* find_free(const Want& want);
  Block* best_fit(const Want& want);
  Block* obtain(const Want& want);
  Block* new_segment(const Want& want);
  const Segment* add_segment(Segment segment);
  void cut(Block& block, Bytes bytes);
  void put_on_shelf(Block& block);
  Block& merge_with_neighbours(Block& block);
  bool can_merge(const Block& block, const Block* neighbour) const;

  // waiting.cpp: frees that wait for streams
  void complete(Block& block);
  void complete_one_mark(Block& block);
  void complete_done_frees();
  void wait_for_all_frees();

  // release.cpp: memory given back to the driver
  bool collects_garbage() const;
  void collect_garbage();
  bool release_oversize(const Want& want);
  void release_unsplit(Pool pool);
  void release(Block& block);

  // expandable.cpp
  Block* grow(const Want& want);
  Block* find_room(const Want& want);
  Block* map(Block& block, Bytes bytes);
  void unmap(Block& block);

  Driver& driver_;
  Settings settings_;
  Rules rules_;
  std::map<Address, Segment> segments_;
  std::uint64_t segments_fetched_ = 0;
  BlockMap blocks_;
  std::array<Shelf, 2> shelves_;
  std::map<Stream, std::deque<std::pair<Mark, Block*>>> waiting_;
  Bytes reserved_ = 0;
  std::vector<Event> events_;
};

}  // namespace highwater::oracle
