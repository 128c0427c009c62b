#include "harness/measure/allocator_state.hpp"

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>

namespace highwater {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;
using c10::CachingDeviceAllocator::DeviceStats;

AllocatorStat plain(const Stat& stat) {
  return {
      .current = stat.current, .peak = stat.peak, .allocated = stat.allocated, .freed = stat.freed};
}

struct NamedStats {
  const char* name;
  StatArray DeviceStats::*stats;
};

constexpr NamedStats kStats[] = {{"allocated_bytes", &DeviceStats::allocated_bytes},
                                 {"active_bytes", &DeviceStats::active_bytes},
                                 {"requested_bytes", &DeviceStats::requested_bytes},
                                 {"reserved_bytes", &DeviceStats::reserved_bytes},
                                 {"inactive_split_bytes", &DeviceStats::inactive_split_bytes},
                                 {"allocation", &DeviceStats::allocation},
                                 {"active", &DeviceStats::active},
                                 {"segment", &DeviceStats::segment},
                                 {"inactive_split", &DeviceStats::inactive_split}};

/// In the order of c10::CachingAllocator::StatType.
constexpr const char* kPools[] = {"all", "small_pool", "large_pool"};

}  // namespace

AllocatorSummary allocator_summary(c10::DeviceIndex device) {
  const DeviceStats stats = allocator::getDeviceStats(device);
  AllocatorSummary summary{.device = device,
                           .out_of_memory = stats.num_ooms,
                           .retries = stats.num_alloc_retries,
                           .stats = {}};
  for (const NamedStats& named : kStats) {
    for (std::size_t pool = 0; pool < std::size(kPools); ++pool) {
      summary.stats[named.name + std::string(".") + kPools[pool]] =
          plain((stats.*named.stats)[pool]);
    }
  }
  summary.stats["oversize_allocations"] = plain(stats.oversize_allocations);
  summary.stats["oversize_segments"] = plain(stats.oversize_segments);
  return summary;
}

Fragmentation fragmentation_at_rest(c10::DeviceIndex device) {
  const AllocatorSummary summary = allocator_summary(device);
  const auto current = [&](const char* name) { return summary.stats.at(name).current; };
  Fragmentation result{
      .reserved_at_rest_bytes = current("reserved_bytes.all"),
      .unused_at_rest_bytes = current("reserved_bytes.all") - current("allocated_bytes.all"),
      .pinned_at_rest_bytes = current("inactive_split_bytes.all"),
      .segments = current("segment.all")};
  for (const auto& segment : allocator::snapshot().segments) {
    if (segment.device != device) continue;
    for (const auto& block : segment.blocks) {
      if (block.active) continue;
      ++result.unused_blocks;
      result.largest_unused_bytes =
          std::max(result.largest_unused_bytes, static_cast<Bytes>(block.size));
    }
  }
  return result;
}

}  // namespace highwater
