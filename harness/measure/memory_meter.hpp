#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "harness/core/bytes.hpp"
#include "harness/measure/allocation_recorder.hpp"

namespace highwater {

/// Bytes in c10's four words. A CPU has no caching allocator: reserved and active are absent there,
/// and requested equals allocated.
struct MemoryCounts {
  Bytes allocated = 0;
  Bytes requested = 0;
  std::optional<Bytes> active;
  std::optional<Bytes> reserved;

  bool operator==(const MemoryCounts&) const = default;
};

/// Reads what one device's allocator holds now and held at most since the last reset.
class MemoryMeter {
 public:
  virtual ~MemoryMeter() = default;
  virtual MemoryCounts current() const = 0;
  virtual MemoryCounts peak() const = 0;
  /// Peak becomes the current value, not zero.
  virtual void reset_peak() = 0;
  /// Allocations that succeeded only after the cache was flushed, since the process began.
  virtual std::optional<std::int64_t> alloc_retries() const = 0;
};

/// The caching allocator's own statistics. The device must be initialised.
std::unique_ptr<MemoryMeter> cuda_memory_meter(c10::DeviceIndex device);

/// The recorder's count, which must outlive the meter.
std::unique_ptr<MemoryMeter> cpu_memory_meter(AllocationRecorder& recorder);

}  // namespace highwater
