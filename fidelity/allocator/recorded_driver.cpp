#include "fidelity/allocator/recorded_driver.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace highwater::oracle {
namespace {

constexpr Bytes driver_page = 2 * mib;
constexpr Address user_addresses = Address{1} << 47;  // of x86-64

Bytes whole_pages(Bytes bytes) { return (bytes + driver_page - 1) / driver_page * driver_page; }

/// Above all that was recorded, and far enough for what an expandable segment may still grow.
Address first_invented(const std::vector<Event>& recording) {
  Address end = user_addresses;
  for (const Event& event : recording) end = std::max(end, event.address + event.bytes);
  return std::bit_ceil(end) * 2;
}

}  // namespace

RecordedDriver::RecordedDriver(const std::vector<Event>& recording, Device device)
    : device_(device), next_invented_(first_invented(recording)) {
  std::ranges::copy_if(recording, std::back_inserter(allocations_),
                       [](const Event& event) { return event.action == Action::segment_alloc; });
  std::ranges::copy_if(recording, std::back_inserter(mappings_),
                       [](const Event& event) { return event.action == Action::segment_map; });
}

std::optional<Address> RecordedDriver::allocate(Bytes bytes) {
  if (!charge(bytes)) return std::nullopt;
  const auto next = std::ranges::find(allocations_, bytes, &Event::bytes);
  if (next == allocations_.end()) return invented(bytes);
  const Address address = next->address;
  allocations_.erase(next);
  return address;
}

void RecordedDriver::free(Address, Bytes bytes) { used_ -= whole_pages(bytes); }

/// The first mapping of the range to come says where it begins: mapping starts at its first page.
/// Small blocks are mapped a page of 2 MiB at a time, so the size tells the two pools' ranges
/// apart.
Address RecordedDriver::reserve(Stream stream, Bytes page) {
  const Bytes bytes = (reservation_bytes() + page - 1) / page * page;
  const auto first = std::ranges::find_if(mappings_, [&](const Event& mapping) {
    return mapping.stream == stream && (mapping.bytes == driver_page) == (page == driver_page) &&
           !is_reserved(mapping.address);
  });
  const Address address = first == mappings_.end() ? invented(bytes) : first->address;
  reserved_[address] = bytes;
  return address;
}

void RecordedDriver::unreserve(Address address) { reserved_.erase(address); }

bool RecordedDriver::map(Address address, Bytes bytes) {
  if (!charge(bytes)) return false;
  const auto same = std::ranges::find_if(mappings_, [&](const Event& mapping) {
    return mapping.address == address && mapping.bytes == bytes;
  });
  if (same != mappings_.end()) mappings_.erase(same);
  return true;
}

void RecordedDriver::unmap(Address, Bytes bytes) { used_ -= bytes; }

bool RecordedDriver::charge(Bytes bytes) {
  const Bytes pages = whole_pages(bytes);
  if (pages > device_.capacity_bytes - used_) return false;
  used_ += pages;
  return true;
}

bool RecordedDriver::is_reserved(Address address) const {
  const auto next = reserved_.upper_bound(address);
  if (next == reserved_.begin()) return false;
  const auto& [base, bytes] = *std::prev(next);
  return address < base + bytes;
}

Address RecordedDriver::invented(Bytes bytes) {
  return std::exchange(next_invented_, next_invented_ + whole_pages(bytes));
}

}  // namespace highwater::oracle
