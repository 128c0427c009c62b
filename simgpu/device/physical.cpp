#include "simgpu/device/physical.hpp"

#include <map>
#include <mutex>

#include "simgpu/device/capacity.hpp"
#include "simgpu/device/memory.hpp"

namespace simgpu {
namespace {

struct Physical {
  int device;
  std::uint64_t bytes;
  bool released = false;
  int mappings = 0;
};

struct Mapping {
  std::uint64_t bytes;
  PhysicalHandle handle;
};

struct Books {
  std::mutex mutex;
  PhysicalHandle next_handle = 1;
  std::map<PhysicalHandle, Physical> physical;
  std::map<Address, Mapping> mappings;

  void drop_if_unused(PhysicalHandle handle) {
    const auto found = physical.find(handle);
    if (!found->second.released || found->second.mappings > 0) return;
    refund_capacity(found->second.device, found->second.bytes);
    physical.erase(found);
  }

  bool is_unmapped(Address address, std::uint64_t bytes) const {
    const auto next = mappings.lower_bound(address + bytes);
    if (next == mappings.begin()) return true;
    const auto last = std::prev(next);
    return last->first + last->second.bytes <= address;
  }

  bool is_filled(Address address, std::uint64_t bytes) const {
    const Address end = address + bytes;
    for (auto at = mappings.find(address); at != mappings.end() && at->first == address; ++at) {
      address += at->second.bytes;
      if (address >= end) break;
    }
    return address == end;
  }
};

Books& books() {
  static Books& instance = *new Books;
  return instance;
}

bool is_reserved(Address address, std::uint64_t bytes) {
  const auto block = find_block(address);
  return block && block->kind == BlockKind::reserved &&
         bytes <= block->address + block->span_bytes - address;
}

}  // namespace

std::optional<PhysicalHandle> create_physical(int device, std::uint64_t bytes) {
  if (!charge_capacity(device, bytes)) return std::nullopt;
  const std::lock_guard lock(books().mutex);
  const PhysicalHandle handle = books().next_handle++;
  books().physical.emplace(handle, Physical{device, bytes});
  return handle;
}

bool release_physical(PhysicalHandle handle) {
  const std::lock_guard lock(books().mutex);
  const auto found = books().physical.find(handle);
  if (found == books().physical.end() || found->second.released) return false;
  found->second.released = true;
  books().drop_if_unused(handle);
  return true;
}

bool map_physical(Address address, std::uint64_t bytes, PhysicalHandle handle) {
  if (!is_reserved(address, bytes)) return false;
  const std::lock_guard lock(books().mutex);
  const auto found = books().physical.find(handle);
  if (found == books().physical.end() || found->second.bytes != bytes) return false;
  if (!books().is_unmapped(address, bytes)) return false;
  books().mappings.emplace(address, Mapping{bytes, handle});
  ++found->second.mappings;
  return true;
}

bool unmap_physical(Address address, std::uint64_t bytes) {
  const std::lock_guard lock(books().mutex);
  if (!books().is_filled(address, bytes)) return false;
  auto at = books().mappings.find(address);
  while (at != books().mappings.end() && at->first < address + bytes) {
    const PhysicalHandle handle = at->second.handle;
    at = books().mappings.erase(at);
    --books().physical.at(handle).mappings;
    books().drop_if_unused(handle);
  }
  return true;
}

}  // namespace simgpu
