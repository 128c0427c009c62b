#include "simgpu/device/kernels.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "simgpu/device/kernel_log.hpp"
#include "simgpu/device/report.hpp"
#include "simgpu/device/shadow.hpp"

namespace simgpu {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, const char*> names;
};

Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

std::atomic<const void*> last_kernel{nullptr};

}  // namespace

void register_kernel(const void* handle, const char* name) {
  const std::lock_guard lock(registry().mutex);
  registry().names.insert_or_assign(handle, name);
}

cudaError_t launch_kernel(const KernelLaunch& launch) {
  return enqueue(launch.stream, WorkKind::kernel, [launch] {
    report_launch();
    last_kernel.store(launch.kernel, std::memory_order_relaxed);
    shadow_meets_launch();
    log_kernel(launch);
  });
}

std::uint64_t kernel_launches() { return reported_launches(); }

const void* last_launched_kernel() { return last_kernel.load(); }

const char* kernel_name(const void* handle) {
  if (handle == nullptr) return "none";
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().names.find(handle);
  return found == registry().names.end() ? "unregistered" : found->second;
}

cudaError_t call_library(StreamHandle stream, const char* name) {
  return enqueue(stream, WorkKind::library, [=] {
    report_library_call();
    shadow_meets_launch();
    log_library(stream, name);
  });
}

cudaError_t call_product(StreamHandle stream, const Product& product) {
  return enqueue(stream, WorkKind::library, [=] {
    report_library_call();
    shadow_meets_launch();
    log_product(stream, product);
  });
}

std::uint64_t library_calls() { return reported_library_calls(); }

}  // namespace simgpu
