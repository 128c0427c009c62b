#include "simgpu/device/current.hpp"

#include <atomic>
#include <cstdint>

#include "simgpu/device/config.hpp"

namespace simgpu {
namespace {

thread_local int current = 0;
std::atomic<std::uint64_t> used_devices{0};  // one bit a device; there are at most 64

std::uint64_t bit(int device) { return std::uint64_t{1} << device; }

}  // namespace

int current_device() { return current; }

bool set_current_device(int device) {
  if (!is_device(device)) return false;
  current = device;
  mark_device_used(device);
  return true;
}

bool is_device(int device) { return device >= 0 && device < config().device_count; }

bool is_device_used(int device) { return (used_devices.load() & bit(device)) != 0; }

void mark_device_used(int device) { used_devices.fetch_or(bit(device)); }

}  // namespace simgpu
