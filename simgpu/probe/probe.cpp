// libsimgpu_probe.so: asks Torch's CUDA allocator about itself, inside the program and without its
// knowledge. Compiled against the very Torch of the stand-ins, whose C++ interfaces it needs; that
// is why it is a library of its own. Loaded by device/probe.cpp at the first allocation.
#include <ATen/record_function.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdlib>

#include "simgpu/device/config.hpp"
#include "simgpu/device/operators.hpp"
#include "simgpu/device/probe.hpp"
#include "simgpu/device/report.hpp"

namespace {

using c10::CachingDeviceAllocator::DeviceStats;
using c10::cuda::CUDACachingAllocator::CUDAAllocator;
using simgpu::ReportPage;

enum Sampled : std::uint64_t { running = 1, at_exit = 2 };

bool peaks_survive_resets = false;

CUDAAllocator& allocator() { return *c10::cuda::CUDACachingAllocator::get(); }

template <class Statistic>
ReportPage::Level level(const Statistic& statistic) {
  const auto& all_pools = statistic[0];
  return {static_cast<std::uint64_t>(all_pools.current),
          static_cast<std::uint64_t>(all_pools.peak)};
}

void sample(int device, Sampled when) {
  const DeviceStats stats = allocator().getDeviceStats(static_cast<c10::DeviceIndex>(device));
  simgpu::report_torch(device, {.sampled = when,
                                .requested = level(stats.requested_bytes),
                                .allocated = level(stats.allocated_bytes),
                                .reserved = level(stats.reserved_bytes),
                                .retries = static_cast<std::uint64_t>(stats.num_alloc_retries),
                                .out_of_memory = static_cast<std::uint64_t>(stats.num_ooms),
                                .peaks_survive_resets = peaks_survive_resets});
}

void sample_all_at_exit() {
  for (int device = 0; device < simgpu::config().device_count; ++device)
    if (simgpu::report_page().devices[device].used) sample(device, at_exit);
}

// A peak can only be lost to a reset after something was given back: until then the reset leaves
// it where it is. So the events that give back are the ones to look at.
template <class Entry>
void follow(const Entry& entry) {
  switch (entry.action_) {
    case Entry::ALLOC:
      simgpu::probe_saw_allocation(entry.addr_, entry.size_);
      break;
    case Entry::FREE_REQUESTED:
    case Entry::FREE_COMPLETED:
    case Entry::SEGMENT_FREE:
    case Entry::SEGMENT_UNMAP:
    case Entry::OOM:
      sample(entry.device_, running);
      break;
    default:
      break;
  }
}

void sample_after_out_of_memory(std::int64_t device, std::size_t, std::size_t, std::size_t) {
  sample(static_cast<int>(device), running);
}

// The allocator over cudaMallocAsync has no events to follow.
void follow_events() {
  try {
    allocator().attachAllocatorTraceTracker([](const auto& entry) { follow(entry); });
    allocator().attachOutOfMemoryObserver(&sample_after_out_of_memory);
    simgpu::probe_follows_allocations();
    peaks_survive_resets = true;
  } catch (const c10::Error&) {
    peaks_survive_resets = false;
  }
}

void follow_operators() {
  at::addGlobalCallback(
      at::RecordFunctionCallback(
          [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
            simgpu::enter_operator(function.name());
            return nullptr;
          },
          [](const at::RecordFunction&, at::ObserverContext*) { simgpu::leave_operator(); })
          .scopes({at::RecordScope::FUNCTION}));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void simgpu_probe_start() {
  follow_events();
  follow_operators();
  // Runs before the destructors of Torch, which registered its own earlier.
  std::atexit(&sample_all_at_exit);
}
