#include "fidelity/allocator/rules.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace highwater::oracle::published {
namespace {

constexpr Bytes smallest_block = 512;
constexpr Bytes largest_small_block = mib;
constexpr Bytes small_segment = 2 * mib;
constexpr Bytes own_segment_from = 10 * mib;
constexpr Bytes large_segment_step = 2 * mib;

Bytes round_up(Bytes bytes, Bytes step) { return (bytes + step - 1) / step * step; }

std::uint64_t divisions_for(Bytes bytes, const Settings& settings) {
  const auto& divisions = settings.power2_divisions;
  const Bytes whole_mib = std::max(bytes, mib) / mib;
  const auto power = static_cast<std::size_t>(std::bit_width(whole_mib) - 1);
  return divisions[std::min(power, divisions.size() - 1)];
}

}  // namespace

Bytes block_bytes(Bytes request, const Settings& settings) {
  if (request < smallest_block) return smallest_block;
  const std::uint64_t divisions = divisions_for(request, settings);
  if (divisions > 1 && request > smallest_block * divisions)
    return round_up(request, std::bit_floor(request) / std::bit_floor(divisions));
  return round_up(request, smallest_block);
}

Pool pool_of(Bytes block) { return block <= largest_small_block ? Pool::small : Pool::large; }

Bytes segment_bytes(Bytes block, const Settings& settings) {
  if (pool_of(block) == Pool::small) return small_segment;
  if (block < own_segment_from) return settings.large_segment_bytes;
  return round_up(block, large_segment_step);
}

bool splits(Pool pool, Bytes wanted, Bytes rest, const Settings& settings) {
  if (pool == Pool::small || settings.expandable_segments) return rest >= smallest_block;
  return wanted < settings.max_split_bytes && rest > largest_small_block;
}

bool serves(Bytes wanted, Bytes found, const Settings& settings) {
  if (wanted < settings.max_split_bytes) return found < settings.max_split_bytes;
  return found < wanted + settings.max_non_split_rounding_bytes;
}

bool precedes(const Spot& left, const Spot& right) {
  return std::tie(left.stream, left.bytes, left.address) <
         std::tie(right.stream, right.bytes, right.address);
}

bool precedes_by_segment(const Spot& left, const Spot& right) {
  return std::tie(left.stream, left.bytes, left.segment, left.address) <
         std::tie(right.stream, right.bytes, right.segment, right.address);
}

bool merges(const Spot&, const Spot&) { return true; }

bool is_old(double age, double average) { return age >= average; }

}  // namespace highwater::oracle::published
