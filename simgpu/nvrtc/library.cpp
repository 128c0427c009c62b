#include <dlfcn.h>

#include <string>

#include "simgpu/device/cudnn_folder.hpp"
#include "simgpu/device/stop.hpp"
#include "simgpu/nvrtc/simulated.hpp"

namespace {

/// Null where SIMGPU_CUDNN_DIR is not set.
void* open_real_library() {
  const std::string path = simgpu::nvrtc_beside_cudnn();
  if (path.empty()) return nullptr;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    simgpu::stop_misconfigured("NVIDIA's NVRTC cannot be loaded: " + std::string(dlerror()) + ".");
  return library;
}

}  // namespace

/// Every function of this library goes on where this says. With NVIDIA's cuDNN comes its NVRTC: it
/// takes no device, cuDNN compiles plans with it and leaves them out where that fails. It then
/// serves Torch too, for a program's handle may not go to another library than made it.
extern "C" void* simgpu_find_in_libnvrtc(const char* name) {
  static void* const real = open_real_library();
  if (void* const found = real ? dlsym(real, name) : simgpu::nvrtc::simulated_function(name))
    return found;
  simgpu_stop_unimplemented(name, "libnvrtc");
}
