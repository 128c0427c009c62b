#include "harness/launch/device_environment.hpp"

#include <array>

namespace highwater {
namespace {

template <char... text>
std::string fixed(const Cell&, const InstallPaths&) {
  return {text...};
}

std::string avx2_name(const Cell&, const InstallPaths&) { return "AVX2"; }
std::string avx2_word(const Cell&, const InstallPaths&) { return "avx2"; }

std::string profile_file(const Cell& cell, const InstallPaths& paths) {
  const std::string profile = cell.device.substr(cell.device.find(':') + 1);
  return (paths.profiles / (profile + ".json")).string();
}

std::string capacity_bytes(const Cell& cell, const InstallPaths&) {
  return cell.capacity ? std::to_string(*cell.capacity) : std::string();
}

// On cpu the instruction set and the threads are pinned: the scratch of oneDNN, and thus the bytes,
// would otherwise depend on the processor.
constexpr std::array kTable = {
    EnvironmentRow{"sim", "SIMGPU_PROFILE", "the simulated card", &profile_file},
    EnvironmentRow{"sim", "SIMGPU_DEVICES", "one card", &fixed<'1'>},
    EnvironmentRow{"sim", "SIMGPU_CAPACITY_BYTES", "memory of another size", &capacity_bytes},
    EnvironmentRow{"cpu", "SIMGPU_DEVICES", "no card", &fixed<'0'>},
    EnvironmentRow{"cpu", "ONEDNN_MAX_CPU_ISA", "pinned instruction set", &avx2_name},
    EnvironmentRow{"cpu", "ATEN_CPU_CAPABILITY", "pinned instruction set", &avx2_word},
    EnvironmentRow{"cpu", "OMP_NUM_THREADS", "one thread", &fixed<'1'>},
    EnvironmentRow{"cpu", "MKL_NUM_THREADS", "one thread", &fixed<'1'>},
};

}  // namespace

std::span<const EnvironmentRow> environment_table() { return kTable; }

std::vector<std::pair<std::string, std::string>> cell_environment(const Cell& cell,
                                                                  const InstallPaths& paths) {
  const std::string kind = device_kind(cell.device);
  std::vector<std::pair<std::string, std::string>> variables;
  for (const EnvironmentRow& row : kTable) {
    if (row.device_kind != kind) continue;
    std::string value = row.value(cell, paths);
    if (!value.empty()) variables.emplace_back(row.name, std::move(value));
  }
  return variables;
}

bool needs_standins(std::string_view device) { return device_kind(device) != "cuda"; }

}  // namespace highwater
