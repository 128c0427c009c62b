#include "simgpu/device/pool.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace simgpu {
namespace {

struct Books {
  std::mutex mutex;
  std::map<int, PoolUsage> usage;
};

Books& books() {
  static Books& instance = *new Books;
  return instance;
}

}  // namespace

PoolUsage pool_usage(int device) {
  const std::lock_guard lock(books().mutex);
  return books().usage[device];
}

void reset_pool_high(int device) {
  const std::lock_guard lock(books().mutex);
  PoolUsage& usage = books().usage[device];
  usage.high_bytes = usage.current_bytes;
}

void count_pool_block(int device, std::int64_t change_bytes) {
  const std::lock_guard lock(books().mutex);
  PoolUsage& usage = books().usage[device];
  usage.current_bytes += static_cast<std::uint64_t>(change_bytes);
  usage.high_bytes = std::max(usage.high_bytes, usage.current_bytes);
}

}  // namespace simgpu
