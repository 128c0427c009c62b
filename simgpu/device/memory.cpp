#include "simgpu/device/memory.hpp"

#include <map>
#include <mutex>

#include "simgpu/device/address_list.hpp"
#include "simgpu/device/capacity.hpp"
#include "simgpu/device/pool.hpp"
#include "simgpu/device/reservation.hpp"
#include "simgpu/device/stop.hpp"
#include "simgpu/device/shadow.hpp"

namespace simgpu {
namespace {

std::optional<AddressList> listed_addresses() {
  if (config().address_list_path.empty()) return std::nullopt;
  return AddressList(config().address_list_path, reservation().base);
}

struct Books {
  std::mutex mutex;
  AddressSpace space{reservation().base, reservation().bytes, config().address_order,
                     config().address_seed};
  std::optional<AddressList> listed = or_stop(listed_addresses);
  std::map<Address, Block> blocks;

  std::optional<Address> place(std::uint64_t span, BlockKind kind) {
    if (!listed || kind != BlockKind::allocation) return space.take(span);
    const Address address = listed->take();
    if (!space.take_at(address, span))
      throw ConfigError("SIMGPU_ADDRESSES: the address in line " + std::to_string(listed->line()) +
                        " holds no block of " + std::to_string(span) +
                        " bytes: another one is there.");
    return address;
  }

  std::optional<Block> holding(Address address) const {
    auto next = blocks.upper_bound(address);
    if (next == blocks.begin()) return std::nullopt;
    const Block& block = std::prev(next)->second;
    if (address >= block.address + block.span_bytes) return std::nullopt;
    return block;
  }
};

/// Never destroyed: Torch's static destructors still free memory.
Books& books() {
  static Books& instance = *new Books;
  return instance;
}

bool is_charged(BlockKind kind) { return kind != BlockKind::reserved; }

std::optional<Address> take_range(int device, std::uint64_t span, BlockKind kind) {
  if (is_charged(kind) && !charge_capacity(device, span)) return std::nullopt;
  const std::lock_guard lock(books().mutex);
  const auto address = or_stop([&] { return books().place(span, kind); });
  if (!address && is_charged(kind)) refund_capacity(device, span);
  return address;
}

void give_back_range(int device, Address address, std::uint64_t span, BlockKind kind) {
  const std::lock_guard lock(books().mutex);
  books().space.give_back(address, span);
  if (is_charged(kind)) refund_capacity(device, span);
}

std::optional<Block> forget_block(Address address) {
  const std::lock_guard lock(books().mutex);
  const auto found = books().blocks.find(address);
  if (found == books().blocks.end()) return std::nullopt;
  const Block block = found->second;
  books().blocks.erase(found);
  forget_shadow(block.address, block.span_bytes);
  return block;
}

}  // namespace

std::optional<Address> allocate_block(int device, std::uint64_t bytes, BlockKind kind) {
  if (bytes > reservation().bytes) return std::nullopt;
  const bool is_pooled = kind == BlockKind::pooled;
  const std::uint64_t span = is_pooled ? round_up_to_pieces(bytes) : round_up_to_pages(bytes);
  const auto address = is_pooled ? take_from_pool(device, span) : take_range(device, span, kind);
  if (!address) return std::nullopt;
  const std::lock_guard lock(books().mutex);
  books().blocks.emplace(*address, Block{*address, bytes, span, device, kind});
  return address;
}

std::optional<Block> release_block(Address address) {
  const auto block = forget_block(address);
  if (!block) return std::nullopt;
  if (block->kind == BlockKind::pooled)
    give_back_to_pool(block->device, block->address, block->span_bytes);
  else
    give_back_range(block->device, block->address, block->span_bytes, block->kind);
  return block;
}

std::optional<Address> take_pages(int device, std::uint64_t bytes) {
  return take_range(device, bytes, BlockKind::pooled);
}

void give_back_pages(int device, Address address, std::uint64_t bytes) {
  give_back_range(device, address, bytes, BlockKind::pooled);
}

std::optional<Block> find_block(Address address) {
  const std::lock_guard lock(books().mutex);
  return books().holding(address);
}

BlockLookup try_find_block(Address address) {
  constexpr int attempts = 1000;  // another thread holds the lock for well under a microsecond
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::unique_lock lock(books().mutex, std::try_to_lock);
    if (lock.owns_lock()) return {true, books().holding(address)};
  }
  return {};
}

bool is_live_range(const void* pointer, std::uint64_t bytes) {
  const Address address = reinterpret_cast<Address>(pointer);
  const auto block = find_block(address);
  return block && bytes <= block->address + block->span_bytes - address;
}

}  // namespace simgpu
