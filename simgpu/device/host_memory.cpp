#include "simgpu/device/host_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>

namespace simgpu {
namespace {

struct PinnedRange {
  std::uint64_t bytes;
  bool owned;  // from allocate_pinned, not register_pinned
};

struct Books {
  std::mutex mutex;
  std::map<const void*, PinnedRange> ranges;
};

Books& books() {
  static Books& instance = *new Books;
  return instance;
}

bool insert(void* pointer, PinnedRange range) {
  const std::lock_guard lock(books().mutex);
  return books().ranges.emplace(pointer, range).second;
}

std::optional<PinnedRange> range_around(const void* pointer) {
  const std::lock_guard lock(books().mutex);
  const auto next = books().ranges.upper_bound(pointer);
  if (next == books().ranges.begin()) return std::nullopt;
  const auto& [start, range] = *std::prev(next);
  const bool inside = pointer < static_cast<const char*>(start) + range.bytes;
  return inside ? std::optional(range) : std::nullopt;
}

std::optional<PinnedRange> remove(void* pointer, bool owned) {
  const std::lock_guard lock(books().mutex);
  const auto found = books().ranges.find(pointer);
  if (found == books().ranges.end() || found->second.owned != owned) return std::nullopt;
  const PinnedRange range = found->second;
  books().ranges.erase(found);
  return range;
}

}  // namespace

void* allocate_pinned(std::uint64_t bytes) {
  void* pointer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pointer == MAP_FAILED) return nullptr;
  insert(pointer, {bytes, true});
  return pointer;
}

bool free_pinned(void* pointer) {
  const auto range = remove(pointer, true);
  return range && munmap(pointer, range->bytes) == 0;
}

bool register_pinned(void* pointer, std::uint64_t bytes) { return insert(pointer, {bytes, false}); }

bool unregister_pinned(void* pointer) { return remove(pointer, false).has_value(); }

bool is_pinned(const void* pointer) { return range_around(pointer).has_value(); }

void fill_with_zeros(void* pointer, std::uint64_t bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes) / page * page;
  const auto range = range_around(pointer);
  const bool gives_back = range && range->owned && first < last;
  if (!gives_back || madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) != 0) {
    std::memset(pointer, 0, bytes);
    return;
  }
  std::memset(pointer, 0, first - begin);
  std::memset(reinterpret_cast<void*>(last), 0, begin + bytes - last);
}

}  // namespace simgpu
