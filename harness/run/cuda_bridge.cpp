#include "harness/run/cuda_bridge.hpp"

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>

#include "harness/core/error.hpp"

namespace at::cuda {
cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device);
void clearCublasWorkspaces();
}  // namespace at::cuda

namespace highwater {
namespace {

std::atomic<Bytes> oom_wanted, oom_free, oom_total;

}  // namespace

long cuda_version() { return at::detail::getCUDAHooks().versionCUDART(); }

long cudnn_version() { return at::detail::getCUDAHooks().versionRuntimeCuDNN(); }

long cudnn_version_of_torch() { return at::detail::getCUDAHooks().versionCuDNN(); }

int cuda_device_count() { return c10::cuda::device_count(); }

bool cuda_is_simulated() { return dlsym(RTLD_DEFAULT, "simgpu_present") != nullptr; }

std::uint64_t unknown_sizes_asked() {
  using Counter = std::uint64_t (*)();
  const auto asked = reinterpret_cast<Counter>(dlsym(RTLD_DEFAULT, "simgpu_unknown_sizes"));
  if (asked != nullptr) return asked();
  throw InternalError("the stand-ins in this process do not say which sizes they could not know");
}

CudaDevice cuda_device(int index) {
  const cudaDeviceProp& p = *at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(index));
  return {.name = p.name,
          .total_memory = static_cast<Bytes>(p.totalGlobalMem),
          .capability_major = p.major,
          .capability_minor = p.minor,
          .multiprocessors = p.multiProcessorCount};
}

void cuda_synchronize() { c10::cuda::device_synchronize(); }

void clear_cublas_workspaces() { at::cuda::clearCublasWorkspaces(); }

void cuda_empty_cache() { c10::cuda::CUDACachingAllocator::emptyCache(); }

DriverFree cuda_free_memory(int index) {
  const auto [free, total] =
      c10::cuda::CUDACachingAllocator::get()->getMemoryInfo(static_cast<c10::DeviceIndex>(index));
  return {.free = static_cast<Bytes>(free), .total = static_cast<Bytes>(total)};
}

// The observer runs under the allocator's lock: it may only store numbers.
void observe_out_of_memory() {
  c10::cuda::CUDACachingAllocator::attachOutOfMemoryObserver(
      [](std::int64_t, std::size_t wanted, std::size_t total, std::size_t free) {
        oom_wanted = static_cast<Bytes>(wanted);
        oom_total = static_cast<Bytes>(total);
        oom_free = static_cast<Bytes>(free);
      });
}

OutOfMemoryReport last_out_of_memory() {
  return {.wanted = oom_wanted, .free = oom_free, .total = oom_total};
}

}  // namespace highwater
