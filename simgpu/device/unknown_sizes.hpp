#pragma once

#include <cstdint>
#include <string>

#include "simgpu/device/export.hpp"

namespace simgpu {

/// Answers a size, in bytes, of which only bounds are known without a device: `low`, or `high` with
/// SIMGPU_UNKNOWN_SIZES=high. A program run once with each prints both ends of what a card can do.
/// Bounds that are equal are a known size; of others `what`, a short phrase, is noted.
SIMGPU_SHARED std::uint64_t answer_unknown_size(const std::string& what, std::uint64_t low,
                                                std::uint64_t high);

}  // namespace simgpu

/// How many answers of this process so far were one of two different bounds. Nonzero after a run
/// means that its bytes are bounded, not exact.
extern "C" SIMGPU_SHARED std::uint64_t simgpu_unknown_sizes();
