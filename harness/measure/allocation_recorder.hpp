#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "harness/measure/allocation_log.hpp"

namespace highwater {

/// Hears of every allocation and release on one device, from this thread and from the autograd
/// threads that work for it, and keeps count of the bytes alive. On CPU these are logical bytes,
/// exact; on CUDA the caching allocator's rounded blocks, equal to its own `allocated_bytes`
/// statistic.
///
/// Install it (c10::DebugInfoGuard, kind PROFILER_STATE) before the first tensor is made: a block
/// whose birth was not heard is ignored when it is freed.
class AllocationRecorder final : public c10::MemoryReportingInfoBase {
 public:
  /// @param device without an index: all devices of its type.
  /// @param origin is asked, in the thread that allocates, where that is; null records no origins.
  explicit AllocationRecorder(c10::Device device, std::function<Origin()> origin = {})
      : device_(device), origin_(std::move(origin)) {}

  Bytes current() const;
  Bytes peak() const;
  void reset_peak();  ///< peak := current

  /// Block that holds this address as its first byte; absent where none is alive there.
  std::optional<BlockId> block_at(const void* address) const;
  std::unordered_map<BlockId, Bytes> alive() const;

  void start_log();
  void begin_interval(std::optional<Phase> phase);
  AllocationLog stop_log();

  void reportMemoryUsage(void* address, std::int64_t size, std::size_t total_allocated,
                         std::size_t total_reserved, c10::Device device) override;
  bool memoryProfilingEnabled() const override { return true; }

 private:
  struct Block {
    BlockId id;
    Bytes size;
    Origin origin;
  };

  void allocated(void* address, Bytes size);
  void freed(void* address);
  void note(const Block& block, Bytes size);

  bool hears(c10::Device device) const;

  c10::Device device_;
  std::function<Origin()> origin_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Block> alive_;
  BlockId next_ = 0;
  Bytes current_ = 0;
  Bytes peak_ = 0;
  Bytes reserved_ = 0;
  std::optional<AllocationLog> log_;
};

}  // namespace highwater
