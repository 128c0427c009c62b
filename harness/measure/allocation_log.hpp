#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/core/phase.hpp"

namespace highwater {

/// One allocation from birth to death; addresses are reused, block ids never.
using BlockId = std::uint64_t;

/// A stretch of a step: a phase (with micro-batches one of several), or the time between phases.
struct PhaseInterval {
  std::optional<Phase> phase;
};

struct BlockEvent {
  BlockId block;
  Bytes size;            ///< positive: allocated; negative: freed
  std::size_t interval;  ///< index into AllocationLog::intervals
  Bytes reserved = 0;    ///< what the allocator then holds from the device; 0 on the cpu
};

/// Where a block was asked for; empty where nothing is known.
struct Origin {
  std::string module;  ///< stretch of the model, in backward the one that is differentiated
  std::string op;      ///< operator
};

/// Everything that was allocated and freed on one device during one step.
struct AllocationLog {
  std::unordered_map<BlockId, Bytes> alive_at_start;
  std::vector<BlockEvent> events;
  std::vector<PhaseInterval> intervals;
  std::unordered_map<BlockId, Origin> origins;  ///< where they were recorded
};

/// What a block is for.
enum class Category : std::size_t {
  parameters,
  gradients,
  optimizer_state,
  buffers,
  inputs,
  saved_activations,
  temporaries,
  workspaces,
  unattributed
};

constexpr std::array<std::string_view, 9> kCategoryNames = {
    "parameters",        "gradients",   "optimizer_state", "buffers",     "inputs",
    "saved_activations", "temporaries", "workspaces",      "unattributed"};

/// A block that is alive at the highest moment.
struct BlockAtPeak {
  BlockId block = 0;
  Bytes size = 0;
  Category category = Category::unattributed;
  std::optional<Phase> born;  ///< absent: before the step, or between phases
};

/// The highest moment of a step.
struct PeakAttribution {
  Bytes peak = 0;
  Bytes reserved = 0;          ///< what the allocator holds then; 0 where no event tells
  std::optional<Phase> phase;  ///< absent: between phases
  std::array<Bytes, kCategoryNames.size()> by_category{};  ///< sums to `peak`
  std::vector<BlockAtPeak> blocks;                         ///< sums to `peak`; by block id
};

/// Finds the first moment with the most bytes alive and says what they were for. `known` holds the
/// blocks that an inventory of tensors named. Of the others, a block born in forward and freed
/// after it is a saved activation; any other that is born and freed in the step is a temporary.
PeakAttribution attribute_peak(const AllocationLog& log,
                               const std::unordered_map<BlockId, Category>& known);

/// Most bytes alive in any interval of each phase, its first instant included; 0 where a phase does
/// not occur.
std::array<Bytes, kPhaseNames.size()> phase_peaks(const AllocationLog& log);

}  // namespace highwater
