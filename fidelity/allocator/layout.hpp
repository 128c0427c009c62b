#pragma once

#include <vector>

#include "fidelity/allocator/rules.hpp"

namespace highwater::oracle {

/// A block as a memory snapshot shows it. `requested` means nothing in a free block.
struct BlockLayout {
  Address address = 0;
  Bytes bytes = 0;
  Bytes requested = 0;
  bool is_allocated = false;

  bool operator==(const BlockLayout&) const = default;
};

struct SegmentLayout {
  Address address = 0;
  Bytes bytes = 0;
  Pool pool = Pool::small;
  Stream stream = 0;
  std::vector<BlockLayout> blocks;  ///< by address, without gaps

  bool operator==(const SegmentLayout&) const = default;
};

/// All that an allocator holds, by address.
using Layout = std::vector<SegmentLayout>;

}  // namespace highwater::oracle
