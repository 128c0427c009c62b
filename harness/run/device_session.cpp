#include "harness/run/device_session.hpp"

#include <ATen/Parallel.h>
#include <c10/core/AllocatorConfig.h>
#include <torch/version.h>

#include <cstdlib>

#include "harness/core/error.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/run/cuda_bridge.hpp"
#include "harness/workload/device_memory.hpp"

namespace highwater {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string allocator_config() {
  const std::string config = environment("PYTORCH_ALLOC_CONF");
  return config.empty() ? environment("PYTORCH_CUDA_ALLOC_CONF") : config;
}

/// Folder-safe: everything but letters, digits, '.', '_' becomes '-'.
std::string safe(std::string text) {
  for (char& c : text) {
    const bool keep = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    c = keep ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
  }
  return text;
}

/// Simulated numbers under a real card's name would be the worst fault, and the other way round.
void check_libraries(const std::string& name, bool simulated) {
  if (cuda_is_simulated() == simulated) return;
  throw UsageError("device \"" + name +
                   "\" was asked for, but the CUDA libraries in this process are " +
                   (simulated ? "real: the stand-ins must be loaded before Torch"
                              : "the simulated GPU's: unset LD_PRELOAD"));
}

void open_cuda(const std::string& name) {
  check_libraries(name, device_kind(name) == "sim");
  if (cuda_device_count() == 0) {
    throw UsageError(
        "device \"" + name +
        "\" is not there: no CUDA device was found. Use --device sim:h200, or check the "
        "driver with nvidia-smi");
  }
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  observe_out_of_memory();
}

}  // namespace

DeviceSession::DeviceSession(const std::string& name, const std::string& allocator_settings)
    : name_(name),
      kind_(device_kind(name)),
      device_(kind_ == "cpu" ? at::kCPU : at::Device("cuda:0")) {
  at::set_num_threads(1);
  choose_attention(AttentionKernel::efficient, device_);
  at::globalContext().setBenchmarkCuDNN(false);
  if (is_cpu()) return;
  if (!allocator_settings.empty()) c10::CachingAllocator::setAllocatorSettings(allocator_settings);
  open_cuda(name);
}

std::unique_ptr<MemoryMeter> DeviceSession::meter(AllocationRecorder& recorder) const {
  return is_cpu() ? cpu_memory_meter(recorder) : cuda_memory_meter(device_.index());
}

std::unique_ptr<MemoryMeter> DeviceSession::second_meter(std::int64_t devices) const {
  return is_cpu() || devices < 2 ? nullptr : cuda_memory_meter(1);
}

std::int64_t DeviceSession::devices_for(std::int64_t wanted) const {
  return is_cpu() ? wanted : cuda_device_count();
}

void DeviceSession::synchronize() const {
  if (!is_cpu()) cuda_synchronize();
}

void DeviceSession::clear_workspaces() const {
  if (!is_cpu()) clear_cublas_workspaces();
}

void DeviceSession::release_caches() const {
  clear_workspaces();
  if (!is_cpu()) cuda_empty_cache();
}

Certainty DeviceSession::certainty() const {
  if (kind_ != "sim") return Certainty::measured;
  return unknown_sizes_asked() == 0 ? Certainty::exact : Certainty::bounded;
}

Testbed DeviceSession::testbed() const {
  Testbed testbed;
  testbed.facts = {{"device", name_},
                   {"torch", TORCH_VERSION},
                   {"threads", "1"},
                   {"attention", is_cpu() ? "fused (cpu kernel)" : "memory-efficient"}};
  if (is_cpu()) {
    const std::string isa = environment("ATEN_CPU_CAPABILITY");
    testbed.facts["cpu_capability"] = isa.empty() ? "native" : isa;
    testbed.facts["onednn_max_isa"] = environment("ONEDNN_MAX_CPU_ISA");
    testbed.id = "cpu-" + testbed.facts["cpu_capability"] + "-torch" TORCH_VERSION;
    return testbed;
  }
  const CudaDevice device = cuda_device(device_.index());
  const std::string capability =
      std::to_string(device.capability_major) + "." + std::to_string(device.capability_minor);
  testbed.facts["device_name"] = device.name;
  testbed.facts["total_memory_bytes"] = std::to_string(device.total_memory);
  testbed.facts["compute_capability"] = capability;
  testbed.facts["multiprocessors"] = std::to_string(device.multiprocessors);
  testbed.facts["cuda"] = std::to_string(cuda_version());
  testbed.facts["allocator_config"] = allocator_config();
  testbed.facts["cublas_workspace_config"] = environment("CUBLAS_WORKSPACE_CONFIG");
  const std::string cudnn = std::to_string(cudnn_version());
  testbed.facts["cudnn"] = cudnn;
  testbed.facts["cudnn_benchmark"] = "off";
  // The simulated GPU's own setting (simgpu/README.md); falling is its default.
  const std::string order = kind_ == "sim" ? environment("SIMGPU_ADDRESS_ORDER") : "";
  if (kind_ == "sim") testbed.facts["address_order"] = order.empty() ? "falling" : order;
  const std::string what = kind_ == "sim" ? name_ : kind_ + "-" + device.name;
  testbed.id = safe(what + "-" + std::to_string(device.total_memory >> 20) + "MiB-sm" + capability +
                    "x" + std::to_string(device.multiprocessors) + "-torch" TORCH_VERSION "-cu" +
                    std::to_string(cuda_version() / 100));
  const bool usual_cudnn = cudnn_version() == cudnn_version_of_torch();
  for (const std::string& setting :
       {allocator_config(), environment("CUBLAS_WORKSPACE_CONFIG"), order == "falling" ? "" : order,
        usual_cudnn ? "" : "cudnn" + cudnn}) {
    if (!setting.empty()) testbed.id += "-" + safe(setting);
  }
  return testbed;
}

}  // namespace highwater
