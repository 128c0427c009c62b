#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "fidelity/allocator/event.hpp"

namespace highwater::oracle {

constexpr Bytes kib = Bytes{1} << 10;
constexpr Bytes mib = Bytes{1} << 20;
constexpr Bytes unlimited = std::numeric_limits<Bytes>::max();

/// The allocator's settings as PYTORCH_CUDA_ALLOC_CONF gives them, and the limit that
/// setMemoryFraction sets. Defaults are Torch's.
struct Settings {
  Bytes large_segment_bytes = 20 * mib;
  Bytes max_split_bytes = unlimited;
  Bytes max_non_split_rounding_bytes = 20 * mib;
  /// By the power of two below the size, 1 MiB (and all below) to 32 GiB (and all above): into how
  /// many steps that power is divided. 0 or 1: not rounded this way.
  std::array<std::uint64_t, 16> power2_divisions{};
  /// Of `allowed_bytes`; 0: no garbage collection.
  double garbage_collection_threshold = 0;
  bool expandable_segments = false;
  Bytes allowed_bytes = unlimited;
};

/// The text for PYTORCH_CUDA_ALLOC_CONF. Names every setting that would otherwise keep its value
/// from an earlier text; sizes must be whole MiB.
std::string to_configuration(const Settings& settings);

}  // namespace highwater::oracle
