#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/bytes.hpp"
#include "harness/measure/peak_profile.hpp"

namespace highwater {

/// Blocks of one category that one module holds at the peak.
struct MemoryPart {
  std::string module;    ///< path such as "block.3.qkv"; "unattributed" where nothing is known
  std::string category;  ///< of kCategoryNames
  Bytes bytes = 0;
  std::int64_t blocks = 0;
};

/// One block at the peak.
struct LiveBlock {
  Bytes bytes = 0;
  std::string category;
  std::string module;
  std::string op;    ///< that asked for it; empty where not known
  std::string born;  ///< phase; "before" where it is older than the step
};

struct PhasePeak {
  std::string phase;
  Bytes peak_bytes = 0;
};

/// One number of the caching allocator as torch.cuda.memory_stats has it: bytes or a count.
struct AllocatorStat {
  std::int64_t current = 0;
  std::int64_t peak = 0;       ///< since the inspected step began
  std::int64_t allocated = 0;  ///< ever
  std::int64_t freed = 0;      ///< ever
};

/// What torch.cuda.memory_summary prints, read after the inspected step.
struct AllocatorSummary {
  std::int64_t device = 0;
  std::int64_t out_of_memory = 0;
  std::int64_t retries = 0;
  /// By the key of torch.cuda.memory_stats without its last word: "allocated_bytes.all",
  /// "segment.small_pool", "oversize_segments", ...
  std::map<std::string, AllocatorStat> stats;
};

/// How much of what the allocator holds serves nobody.
struct Fragmentation {
  Bytes reserved_at_peak_bytes = 0;  ///< at the moment when most was allocated
  Bytes unused_at_peak_bytes = 0;    ///< reserved less allocated then
  Bytes reserved_at_rest_bytes = 0;  ///< after the step
  Bytes unused_at_rest_bytes = 0;    ///< reserved less allocated then
  Bytes pinned_at_rest_bytes = 0;    ///< unused, but in a segment that is partly used
  Bytes largest_unused_bytes = 0;    ///< largest block that a request could get without the device
  std::int64_t unused_blocks = 0;
  std::int64_t segments = 0;
};

/// Where the memory of one steady step goes.
struct Inspection {
  std::string certainty;   ///< of certainty_table(); of a bounded one the low end
  std::string peak_phase;  ///< or "between phases"
  Bytes peak_bytes = 0;    ///< allocated
  Bytes rest_bytes = 0;    ///< allocated after the step
  std::vector<PhasePeak> phases;
  std::vector<MemoryPart> parts;   ///< by module and category; sums to peak_bytes
  std::vector<LiveBlock> largest;  ///< at most kLargestBlocks, largest first
  /// Absent on the cpu, which has no caching allocator.
  std::optional<AllocatorSummary> allocator;
  std::optional<Fragmentation> fragmentation;
};

inline constexpr std::size_t kLargestBlocks = 10;

void to_json(nlohmann::json& json, const Inspection& inspection);
void from_json(const nlohmann::json& json, Inspection& inspection);

}  // namespace highwater
