#include "simgpu/device/reservation.hpp"

#include <sys/mman.h>

#include <atomic>

#include "simgpu/device/fault.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::uint64_t largest_bytes = 16 * 1024 * gib;
constexpr std::uint64_t smallest_bytes = 64 * gib;

/// Far from where the kernel places libraries, heap and stack, and inside the range that address
/// sanitizers leave to the program.
constexpr Address preferred_base = 0x2000'0000'0000;

std::atomic<Address> device_begin{0};
std::atomic<Address> device_end{0};

void* map(void* where, std::uint64_t bytes, int more_flags) {
  return mmap(where, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more_flags, -1,
              0);
}

/// The kernel aligns to 4 KiB only, so the fallback maps one page more and starts on a page.
Reservation try_reserve(std::uint64_t bytes) {
  void* place = map(reinterpret_cast<void*>(preferred_base), bytes, MAP_FIXED_NOREPLACE);
  if (place != MAP_FAILED) return {reinterpret_cast<Address>(place), bytes};
  place = map(nullptr, bytes + page_bytes, 0);
  if (place == MAP_FAILED) return {};
  return {round_up_to_pages(reinterpret_cast<Address>(place)), bytes};
}

Reservation reserve() {
  for (std::uint64_t bytes = largest_bytes; bytes >= smallest_bytes; bytes /= 2)
    if (const Reservation made = try_reserve(bytes); made.bytes != 0) return made;
  stop_misconfigured(
      "not even 64 GiB of addresses could be reserved for device memory (they need no memory); "
      "raise the limit on virtual memory, see `ulimit -v`.");
}

Reservation reserve_and_watch() {
  const Reservation made = reserve();
  device_end.store(made.base + made.bytes);
  device_begin.store(made.base);
  install_fault_reporter();
  return made;
}

}  // namespace

const Reservation& reservation() {
  static const Reservation instance = reserve_and_watch();
  return instance;
}

bool is_device_address(const void* pointer) {
  const Address address = reinterpret_cast<Address>(pointer);
  const Address begin = device_begin.load(std::memory_order_acquire);
  return begin != 0 && address >= begin && address < device_end.load(std::memory_order_relaxed);
}

}  // namespace simgpu
