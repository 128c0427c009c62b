#include "simgpu/device/address_space.hpp"

#include <iterator>

namespace simgpu {
namespace {

constexpr int random_draws = 64;

/// SplitMix64 (Steele, Lea, Flood 2014): every seed, 0 included, gives a full-period sequence.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t value = state += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

AddressSpace::AddressSpace(Address base, std::uint64_t bytes, AddressOrder order,
                           std::uint64_t seed)
    : base_(base), bytes_(bytes), order_(order), random_state_(seed), free_{{base, bytes}} {}

std::optional<Address> AddressSpace::take(std::uint64_t bytes) {
  const auto address = find(bytes);
  if (address) carve(*address, bytes);
  return address;
}

bool AddressSpace::take_at(Address address, std::uint64_t bytes) {
  if (!is_free(address, bytes)) return false;
  carve(address, bytes);
  return true;
}

void AddressSpace::give_back(Address address, std::uint64_t bytes) {
  const auto after = free_.lower_bound(address);
  if (after != free_.end() && after->first == address + bytes) {
    bytes += after->second;
    free_.erase(after);
  }
  const auto next = free_.lower_bound(address);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(address, bytes);
}

std::optional<Address> AddressSpace::find(std::uint64_t bytes) {
  switch (order_) {
    case AddressOrder::rising:
      return find_rising(bytes);
    case AddressOrder::random:
      return find_random(bytes);
    case AddressOrder::falling:
      break;
  }
  return find_falling(bytes);
}

std::optional<Address> AddressSpace::find_falling(std::uint64_t bytes) const {
  for (auto gap = free_.rbegin(); gap != free_.rend(); ++gap)
    if (gap->second >= bytes) return gap->first + gap->second - bytes;
  return std::nullopt;
}

std::optional<Address> AddressSpace::find_rising(std::uint64_t bytes) const {
  for (const auto& [start, length] : free_)
    if (length >= bytes) return start;
  return std::nullopt;
}

std::optional<Address> AddressSpace::find_random(std::uint64_t bytes) {
  if (bytes > bytes_) return std::nullopt;
  const std::uint64_t places = (bytes_ - bytes) / page_bytes + 1;
  for (int draw = 0; draw < random_draws; ++draw) {
    const Address address = base_ + next_random(random_state_) % places * page_bytes;
    if (is_free(address, bytes)) return address;
  }
  return find_falling(bytes);
}

bool AddressSpace::is_free(Address address, std::uint64_t bytes) const {
  auto gap = free_.upper_bound(address);
  if (gap == free_.begin()) return false;
  --gap;
  return address + bytes <= gap->first + gap->second;
}

void AddressSpace::carve(Address address, std::uint64_t bytes) {
  const auto gap = std::prev(free_.upper_bound(address));
  const Address gap_end = gap->first + gap->second;
  const std::uint64_t left = address - gap->first;
  if (left == 0)
    free_.erase(gap);
  else
    gap->second = left;
  if (gap_end > address + bytes) free_.emplace(address + bytes, gap_end - address - bytes);
}

}  // namespace simgpu
