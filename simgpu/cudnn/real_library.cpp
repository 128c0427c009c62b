#include "simgpu/cudnn/real_library.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "simgpu/cudnn/version.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/cudnn_folder.hpp"
#include "simgpu/device/notes.hpp"
#include "simgpu/device/stop.hpp"
#include "simgpu/device/versions.hpp"

namespace simgpu::cudnn {
namespace {

/// Planning without a device came with 9.8 (10000 * major + 100 * minor + patch).
constexpr std::size_t oldest_version = 90800;

constexpr const char* what_to_do =
    "Set SIMGPU_CUDNN_DIR to the folder with libcudnn.so.9 of cuDNN 9.8 or later (scripts/"
    "install_cudnn.sh downloads one and prints its folder).";

std::string path_of(const std::string& folder) { return folder + "/libcudnn.so.9"; }

std::size_t number(void* library, const char* name) {
  auto* const function = reinterpret_cast<std::size_t (*)()>(dlsym(library, name));
  return function ? function() : 0;
}

void require_usable(void* library, const std::string& folder) {
  const std::size_t version = number(library, "cudnnGetVersion");
  if (version < oldest_version)
    stop_misconfigured(path_of(folder) + " is cuDNN " + std::to_string(version) +
                       ", which cannot plan without a device. " + what_to_do);
  if (version != torch_version)
    note(NoteKind::unlike_device, "convolutions are planned by cuDNN " + std::to_string(version) +
                                      ", Torch's wheel comes with " +
                                      std::to_string(torch_version));
  const std::size_t cuda = number(library, "cudnnGetCudartVersion") / 1000;
  if (cuda != driver_version / 1000)
    stop_misconfigured(path_of(folder) + " is built for CUDA " + std::to_string(cuda) +
                       ", but Torch for CUDA " + std::to_string(driver_version / 1000) + ". " +
                       what_to_do);
}

/// Deep binding: its libraries find each other's functions before the stand-ins', which carry the
/// same names. What they open by soname (cuBLASLt, the driver) is already there: the stand-ins.
void* open_real_library(const char* caller) {
  const std::string& folder = config().cudnn_folder;
  if (folder.empty())
    stop_misconfigured(std::string("the program calls ") + caller +
                       ", which takes NVIDIA's own cuDNN to answer. " + what_to_do);
  void* const library = dlopen(path_of(folder).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library == nullptr)
    stop_misconfigured(std::string("SIMGPU_CUDNN_DIR holds no usable cuDNN: ") + dlerror() + ". " +
                       what_to_do);
  require_usable(library, folder);
  nvrtc_beside_cudnn();  // ends the process where there is none
  return library;
}

}  // namespace

void* real_function(const char* name) {
  static void* const library = open_real_library(name);
  void* const function = dlsym(library, name);
  if (function == nullptr)
    stop_misconfigured("the cuDNN in SIMGPU_CUDNN_DIR has no function " + std::string(name) +
                       ", which Torch calls: it is older than the one Torch was built with. " +
                       what_to_do);
  return function;
}

}  // namespace simgpu::cudnn

/// For the generated functions that only forward.
extern "C" void* simgpu_find_in_libcudnn(const char* name) {
  return simgpu::cudnn::real_function(name);
}
