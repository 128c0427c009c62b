#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/export.hpp"
#include "simgpu/device/versions.hpp"

namespace {

constexpr const char* driver_library = "libcuda.so.1";

/// The driver keeps changed signatures under suffixed names and expects callers to ask for the
/// plain one; the newest the stand-in has is meant.
void* find_driver_function(const char* name) {
  void* const driver = dlopen(driver_library, RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  for (const char* suffix : {"_v4", "_v3", "_v2", ""})
    if (void* const found = dlsym(driver, (std::string(name) + suffix).c_str())) return found;
  return nullptr;
}

}  // namespace

SIMGPU_EXPORT cudaError_t
cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                 unsigned long long, cudaDriverEntryPointQueryResult* result) {
  *function = nullptr;
  auto status = cudaDriverEntryPointVersionNotSufficent;
  if (version <= static_cast<unsigned>(simgpu::driver_version)) {
    *function = find_driver_function(name);
    status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  }
  if (result) *result = status;
  return cudaSuccess;
}
