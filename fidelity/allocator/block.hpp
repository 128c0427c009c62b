#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fidelity/allocator/rules.hpp"

namespace highwater::oracle {

/// A range that the driver gave: one cudaMalloc, or the addresses of an expandable segment.
struct Segment {
  Address address = 0;
  Bytes bytes = 0;
  Stream stream = 0;
  Pool pool = Pool::small;
  Bytes page = 0;            ///< of an expandable segment; 0 in others
  std::uint64_t number = 0;  ///< the how many-th that was fetched

  bool is_expandable() const { return page != 0; }
};

enum class State {
  unmapped,  ///< addresses without memory
  free,
  allocated,
  waiting,  ///< freed, but other streams still use it
};

/// A part of a segment. Neighbours in the same segment have different states or are not free.
struct Block {
  const Segment* segment = nullptr;
  Address address = 0;
  Bytes bytes = 0;
  State state = State::free;
  Bytes requested = 0;
  std::uint64_t free_since = 0;  ///< number of searches in the pool when it became free
  std::vector<Stream> users;     ///< other streams that use it
  int marks = 0;                 ///< of streams whose work is awaited

  Spot spot() const { return {segment->stream, bytes, address, segment->number}; }
  bool is_split() const { return bytes != segment->bytes; }
  Address end() const { return address + bytes; }
};

/// All blocks of all segments, by address. References stay valid until a block is merged away.
class BlockMap {
 public:
  Block& insert(const Block& block) {
    return blocks_.insert_or_assign(block.address, block).first->second;
  }
  void erase(const Block& block) { blocks_.erase(block.address); }

  Block* find(Address address) {
    const auto found = blocks_.find(address);
    return found == blocks_.end() ? nullptr : &found->second;
  }

  /// The neighbours within the same segment, or null.
  Block* before(const Block& block) {
    const auto at = blocks_.find(block.address);
    if (at == blocks_.begin()) return nullptr;
    Block& neighbour = std::prev(at)->second;
    return neighbour.segment == block.segment ? &neighbour : nullptr;
  }
  Block* after(const Block& block) {
    const auto next = std::next(blocks_.find(block.address));
    if (next == blocks_.end() || next->second.segment != block.segment) return nullptr;
    return &next->second;
  }

  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }

 private:
  std::map<Address, Block> blocks_;
};

}  // namespace highwater::oracle
