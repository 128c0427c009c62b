#include "simgpu/device/capacity.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "simgpu/device/config.hpp"
#include "simgpu/device/pool.hpp"
#include "simgpu/device/profile.hpp"
#include "simgpu/device/report.hpp"

namespace simgpu {
namespace {

std::atomic<std::uint64_t>& used_bytes(int device) {
  static auto& used = *new auto(std::make_unique<std::atomic<std::uint64_t>[]>(
      static_cast<std::size_t>(config().device_count)));
  return used[static_cast<std::size_t>(device)];
}

/// A capacity that the context alone exceeds leaves nothing: the first allocation then fails, and
/// whoever asked for it hears of it in the ordinary way.
std::uint64_t usable_bytes() {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, profile().total_memory_bytes - profile().context_bytes));
}

/// The bytes in use with these, if they fit.
std::optional<std::uint64_t> try_charge(int device, std::uint64_t bytes) {
  const std::uint64_t limit = usable_bytes();
  auto& used = used_bytes(device);
  std::uint64_t before = used.load();
  do {
    if (bytes > limit - before) return std::nullopt;
  } while (!used.compare_exchange_weak(before, before + bytes));
  return before + bytes;
}

}  // namespace

bool charge_capacity(int device, std::uint64_t bytes) {
  auto used = try_charge(device, bytes);
  if (!used && trim_pool(device, 0)) used = try_charge(device, bytes);
  if (used)
    report_taken(device, bytes, *used);
  else
    report_refused(device, bytes);
  return used.has_value();
}

void refund_capacity(int device, std::uint64_t bytes) {
  const std::uint64_t before = used_bytes(device).fetch_sub(bytes);
  report_given_back(device, bytes, before - bytes);
}

MemoryInfo memory_info(int device) {
  return {usable_bytes() - used_bytes(device).load(),
          static_cast<std::uint64_t>(profile().total_memory_bytes)};
}

}  // namespace simgpu
