#include "simgpu/device/capability.hpp"

#include <algorithm>
#include <array>

namespace simgpu {
namespace {

constexpr std::array fields = {
    &Profile::max_threads_per_multiprocessor,
    &Profile::max_blocks_per_multiprocessor,
    &Profile::registers_per_multiprocessor,
    &Profile::registers_per_block,
    &Profile::shared_memory_per_block_bytes,
    &Profile::shared_memory_per_block_optin_bytes,
    &Profile::shared_memory_per_multiprocessor_bytes,
    &Profile::reserved_shared_memory_per_block_bytes,
    &Profile::access_policy_window_max_bytes,
    &Profile::single_to_double_performance_ratio,
    &Profile::memory_sync_domain_count,
    &Profile::cluster_launch,
    &Profile::tensor_map_access,
};

struct Row {
  std::int64_t capability;
  std::array<std::int64_t, fields.size()> values;  // in the order of `fields`
};

/// CUDA Programming Guide, "Compute Capabilities", tables of technical specifications and of
/// arithmetic throughput (single to double): threads, blocks, registers, shared memory, clusters.
/// https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/compute-capabilities.html
/// Shared memory reserved for the system: 1 KiB a block from 8.0 on (tuning guides). The largest
/// access policy window is what A100, H100 and RTX 4090 alike print; before 8.0 there is none.
/// Memory synchronisation domains: four from 9.0 on (same guide), else one.
constexpr Row rows[] = {
    {70, {2048, 32, 65536, 65536, 49152, 98304, 98304, 0, 0, 2, 1, 0, 0}},
    {75, {1024, 16, 65536, 65536, 49152, 65536, 65536, 0, 0, 32, 1, 0, 0}},
    {80, {2048, 32, 65536, 65536, 49152, 166912, 167936, 1024, 134213632, 2, 1, 0, 0}},
    {86, {1536, 16, 65536, 65536, 49152, 101376, 102400, 1024, 134213632, 64, 1, 0, 0}},
    {89, {1536, 24, 65536, 65536, 49152, 101376, 102400, 1024, 134213632, 64, 1, 0, 0}},
    {90, {2048, 32, 65536, 65536, 49152, 232448, 233472, 1024, 134213632, 2, 4, 1, 1}},
    {100, {2048, 32, 65536, 65536, 49152, 232448, 233472, 1024, 134213632, 2, 4, 1, 1}},
    {120, {1536, 24, 65536, 65536, 49152, 101376, 102400, 1024, 134213632, 64, 4, 1, 1}},
};

}  // namespace

std::span<std::int64_t Profile::*const> capability_fields() { return fields; }

std::optional<std::int64_t> capability_value(std::int64_t capability,
                                             std::int64_t Profile::*field) {
  const auto* row = std::ranges::find(rows, capability, &Row::capability);
  const auto column = std::ranges::find(fields, field);
  if (row == std::end(rows) || column == fields.end()) return std::nullopt;
  return row->values[static_cast<std::size_t>(column - fields.begin())];
}

}  // namespace simgpu
