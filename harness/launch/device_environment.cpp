#include "harness/launch/device_environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "harness/core/cudnn_folder.hpp"

namespace highwater {
namespace {

std::string profile_file(const Cell& cell, const InstallPaths& paths) {
  const std::string profile = cell.device.substr(cell.device.find(':') + 1);
  return (paths.profiles / (profile + ".json")).string();
}

std::string own_cudnn(const Cell&, const InstallPaths&) { return cudnn_folder().string(); }

std::string capacity_bytes(const Cell& cell, const InstallPaths&) {
  return cell.capacity ? std::to_string(*cell.capacity) : std::string();
}

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The number in "id:3,slots:1", by which CTest says which GPU of its resource specification
/// (scripts/make_resource_spec.py) it gave to this test; empty where it gave none.
std::string gpu_from_ctest() {
  const std::string given = value_of("CTEST_RESOURCE_GROUP_0_GPUS");
  return given.starts_with("id:") ? given.substr(3, given.find(',') - 3) : "";
}

std::string visible_gpus(const Cell&, const InstallPaths&) {
  if (const std::string gpu = gpu_from_ctest(); !gpu.empty()) return gpu;
  // Set and empty means no GPU, but here empty means unset; CUDA stops at the first bad number.
  const bool hidden = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
  const std::string own = value_of("CUDA_VISIBLE_DEVICES");
  return hidden && own.empty() ? "-1" : own;
}

std::string gpu_order(const Cell&, const InstallPaths&) {
  return gpu_from_ctest().empty() ? value_of("CUDA_DEVICE_ORDER") : "PCI_BUS_ID";
}

// Unset is what changes bytes and is no part of the testbed's key: two machines would disagree
// about the same testbed. On cpu the instruction set and the threads are pinned: the scratch of
// oneDNN, and thus the bytes, would otherwise depend on the processor.
constexpr std::array kTable = {
    EnvironmentRow{"", "PYTORCH_NO_CUDA_MEMORY_CACHING", "the caching allocator is measured", ""},
    EnvironmentRow{"", "CUBLASLT_WORKSPACE_SIZE", "workspace of its own size", ""},
    EnvironmentRow{"", "DISABLE_ADDMM_CUDA_LT", "cuBLASLt as LibTorch chooses", ""},
    EnvironmentRow{"", "TORCH_BLAS_PREFER_CUBLASLT", "cuBLASLt as LibTorch chooses", ""},
    EnvironmentRow{"", "TORCH_BLAS_PREFER_CUBLAS", "cuBLAS as LibTorch chooses", ""},
    EnvironmentRow{"", "TORCH_CUDNN_V8_API_DISABLED", "cuDNN as LibTorch chooses", ""},
    EnvironmentRow{"", "NVIDIA_TF32_OVERRIDE", "precision as the plan says", ""},
    EnvironmentRow{"", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "precision as the plan says", ""},
    EnvironmentRow{"", "SIMGPU_PROFILE", "no card but the cell's", ""},
    EnvironmentRow{"", "SIMGPU_DEVICES", "no card but the cell's", ""},
    EnvironmentRow{"", "SIMGPU_CAPACITY_BYTES", "the profile's memory", ""},
    EnvironmentRow{"", "SIMGPU_READS", "zeros are read from the device", ""},
    EnvironmentRow{"", "SIMGPU_EVENTS", "events as the simulated GPU chooses", ""},
    EnvironmentRow{"", "SIMGPU_ADDRESSES", "addresses in the testbed's order", ""},
    EnvironmentRow{"", "SIMGPU_CUDNN_DIR", "no cuDNN but the one set up", ""},
    EnvironmentRow{"", kUnknownSizesVariable, "no unknown sizes on a real device", ""},
    EnvironmentRow{"cuda", "CUDA_VISIBLE_DEVICES", "CTest's choice, or yours", "", &visible_gpus},
    EnvironmentRow{"cuda", "CUDA_DEVICE_ORDER", "CTest counts as nvidia-smi does", "", &gpu_order},
    EnvironmentRow{"sim", "SIMGPU_PROFILE", "the simulated card", "", &profile_file},
    EnvironmentRow{"sim", "SIMGPU_DEVICES", "one card, and a second for who asks for it", "2"},
    EnvironmentRow{"sim", "SIMGPU_CUDNN_DIR", "plans convolutions", "", &own_cudnn},
    EnvironmentRow{"sim", kUnknownSizesVariable, "the low end first", "low"},
    EnvironmentRow{"sim", "SIMGPU_CAPACITY_BYTES", "memory of another size", "", &capacity_bytes},
    EnvironmentRow{"cpu", "SIMGPU_DEVICES", "no card", "0"},
    EnvironmentRow{"cpu", "ONEDNN_MAX_CPU_ISA", "pinned instruction set", "AVX2"},
    EnvironmentRow{"cpu", "ATEN_CPU_CAPABILITY", "pinned instruction set", "avx2"},
    EnvironmentRow{"cpu", "OMP_NUM_THREADS", "one thread", "1"},
    EnvironmentRow{"cpu", "MKL_NUM_THREADS", "one thread", "1"},
};

/// Name and value of each row that holds for the cell; an empty value means unset.
std::vector<std::pair<std::string, std::string>> rows_for(const Cell& cell,
                                                          const InstallPaths& paths) {
  const std::string kind = device_kind(cell.device);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const EnvironmentRow& row : kTable) {
    if (!row.device_kind.empty() && row.device_kind != kind) continue;
    rows.emplace_back(row.name,
                      row.computed == nullptr ? std::string(row.value) : row.computed(cell, paths));
  }
  return rows;
}

}  // namespace

std::span<const EnvironmentRow> environment_table() { return kTable; }

std::vector<std::pair<std::string, std::string>> cell_environment(const Cell& cell,
                                                                  const InstallPaths& paths) {
  auto variables = rows_for(cell, paths);
  std::erase_if(variables, [](const auto& variable) { return variable.second.empty(); });
  return variables;
}

std::vector<std::string> unset_variables(const Cell& cell, const InstallPaths& paths) {
  const auto set = cell_environment(cell, paths);
  std::vector<std::string> names;
  for (const auto& [name, value] : rows_for(cell, paths)) {
    const bool is_set =
        std::ranges::any_of(set, [&](const auto& row) { return row.first == name; });
    if (!is_set && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

bool needs_standins(std::string_view device) { return device_kind(device) != "cuda"; }

}  // namespace highwater
