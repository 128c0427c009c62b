#include "harness/measure/memory_meter.hpp"

#include <c10/cuda/CUDACachingAllocator.h>

namespace highwater {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using c10::CachingAllocator::Stat;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr std::size_t kAggregate = 0;  // of c10::CachingAllocator::StatType: large and small pools

MemoryCounts counts(const DeviceStats& stats, std::int64_t Stat::*field) {
  return {.allocated = stats.allocated_bytes[kAggregate].*field,
          .requested = stats.requested_bytes[kAggregate].*field,
          .active = stats.active_bytes[kAggregate].*field,
          .reserved = stats.reserved_bytes[kAggregate].*field};
}

class CudaMeter final : public MemoryMeter {
 public:
  explicit CudaMeter(c10::DeviceIndex device) : device_(device) {}
  MemoryCounts current() const override { return counts(stats(), &Stat::current); }
  MemoryCounts peak() const override { return counts(stats(), &Stat::peak); }
  void reset_peak() override { allocator::resetPeakStats(device_); }
  std::optional<std::int64_t> alloc_retries() const override { return stats().num_alloc_retries; }

 private:
  DeviceStats stats() const { return allocator::getDeviceStats(device_); }

  c10::DeviceIndex device_;
};

class CpuMeter final : public MemoryMeter {
 public:
  explicit CpuMeter(AllocationRecorder& recorder) : recorder_(recorder) {}
  MemoryCounts current() const override { return logical(recorder_.current()); }
  MemoryCounts peak() const override { return logical(recorder_.peak()); }
  void reset_peak() override { recorder_.reset_peak(); }
  std::optional<std::int64_t> alloc_retries() const override { return std::nullopt; }

 private:
  static MemoryCounts logical(Bytes bytes) {
    return {.allocated = bytes, .requested = bytes, .active = {}, .reserved = {}};
  }

  AllocationRecorder& recorder_;
};

}  // namespace

std::unique_ptr<MemoryMeter> cuda_memory_meter(c10::DeviceIndex device) {
  return std::make_unique<CudaMeter>(device);
}

std::unique_ptr<MemoryMeter> cpu_memory_meter(AllocationRecorder& recorder) {
  return std::make_unique<CpuMeter>(recorder);
}

}  // namespace highwater
