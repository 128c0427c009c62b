#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "simgpu/device/config.hpp"
#include "simgpu/device/export.hpp"

namespace simgpu {

using Address = std::uintptr_t;

/// Allocation unit of device memory: cudaMalloc on current drivers backs large blocks with 2 MiB
/// pages, and cuMemGetAllocationGranularity answers 2 MiB.
constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;

constexpr std::uint64_t round_up_to_pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Hands out ranges of one span of addresses. Arithmetic only: touches no memory, takes no lock.
/// The same calls with the same order and seed give the same addresses.
class SIMGPU_SHARED AddressSpace {
 public:
  /// `base` and `bytes` must be multiples of `page_bytes`.
  AddressSpace(Address base, std::uint64_t bytes, AddressOrder order, std::uint64_t seed);

  /// A free range of exactly `bytes` (a positive multiple of `page_bytes`), or nothing when no gap
  /// is large enough. falling: top of the highest gap that fits; rising: bottom of the lowest;
  /// random: a page drawn by the seed, falling after 64 draws that do not fit.
  std::optional<Address> take(std::uint64_t bytes);

  /// Takes [`address`, `address` + `bytes`); false, and nothing taken, if it is not all free.
  bool take_at(Address address, std::uint64_t bytes);

  /// Returns a range that was taken, whole or in pieces. Neighbouring free ranges merge.
  void give_back(Address address, std::uint64_t bytes);

 private:
  std::optional<Address> find(std::uint64_t bytes);
  std::optional<Address> find_falling(std::uint64_t bytes) const;
  std::optional<Address> find_rising(std::uint64_t bytes) const;
  std::optional<Address> find_random(std::uint64_t bytes);
  bool is_free(Address address, std::uint64_t bytes) const;
  void carve(Address address, std::uint64_t bytes);

  Address base_;
  std::uint64_t bytes_;
  AddressOrder order_;
  std::uint64_t random_state_;
  std::map<Address, std::uint64_t> free_;  // start -> bytes; neighbours are merged
};

}  // namespace simgpu
