#include "fidelity/libtorch/rebuild.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace highwater::oracle {
namespace {

constexpr Bytes largest_small_request = mib;
/// Between 1 and 10 MiB: fetches a segment of 20 MiB.
constexpr Bytes request_for_20_mib = 5 * mib;

Bytes request_for(const SegmentLayout& segment) {
  if (segment.pool == Pool::small) return 512;
  return segment.bytes == 20 * mib ? request_for_20_mib : segment.bytes;
}

void allocate_at(Address wanted, Bytes bytes, Stream stream, Subject& subject) {
  const auto address = subject.allocate(bytes, stream);
  if (address != wanted)
    throw std::runtime_error("a block of " + std::to_string(bytes) + " bytes came to lie at " +
                             std::to_string(address.value_or(0)) + " and not at " +
                             std::to_string(wanted));
}

/// The recorded request where it makes a block of the same size here too. A block that kept a rest
/// too small to be cut off, and has a neighbour now, needs a request of its whole size.
Bytes request_for(const BlockLayout& block, const SegmentLayout& segment) {
  const bool is_last = block.address + block.bytes == segment.address + segment.bytes;
  const bool is_exact = published::block_bytes(block.requested, {}) == block.bytes;
  return is_last || is_exact ? block.requested : block.bytes;
}

/// Small requests cannot fill a large free block at once. Returns the addresses of the pieces.
std::vector<Address> fill(const BlockLayout& block, const SegmentLayout& segment,
                          Subject& subject) {
  const Bytes most = segment.pool == Pool::small ? largest_small_request : block.bytes;
  std::vector<Address> pieces;
  for (Bytes done = 0; done < block.bytes; done += std::min(most, block.bytes - done)) {
    pieces.push_back(block.address + done);
    allocate_at(pieces.back(), std::min(most, block.bytes - done), segment.stream, subject);
  }
  return pieces;
}

}  // namespace

void rebuild(const Layout& layout, Subject& subject) {
  std::vector<Address> to_free;
  for (const SegmentLayout& segment : layout) {
    allocate_at(segment.address, request_for(segment), segment.stream, subject);
    subject.free(segment.address);
    for (const BlockLayout& block : segment.blocks) {
      if (block.is_allocated) {
        allocate_at(block.address, request_for(block, segment), segment.stream, subject);
      } else {
        const auto pieces = fill(block, segment, subject);
        to_free.insert(to_free.end(), pieces.begin(), pieces.end());
      }
    }
  }
  for (const Address address : to_free) subject.free(address);
}

}  // namespace highwater::oracle
