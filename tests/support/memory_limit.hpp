#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include "harness/core/bytes.hpp"
#include "harness/run/cuda_bridge.hpp"

namespace highwater::testing_support {

/// The caching allocator may take no more than this of the first device while the object lives.
class MemoryLimit {
 public:
  explicit MemoryLimit(Bytes bytes) {
    // The byte more: a fraction times the total can be one less than it was made from
    // (pytorch#157256).
    const auto total = static_cast<double>(cuda_device(0).total_memory);
    set(static_cast<double>(bytes + 1) / total);
  }
  ~MemoryLimit() { set(1.0); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  static void set(double fraction) {
    c10::cuda::CUDACachingAllocator::setMemoryFraction(fraction, 0);
  }
};

}  // namespace highwater::testing_support
