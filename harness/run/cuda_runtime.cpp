#include "harness/run/cuda_runtime.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

template <class Function>
Function* runtime_function(const char* name) {
  void* address = dlsym(RTLD_DEFAULT, name);
  if (address == nullptr)
    throw InternalError(std::string("the CUDA runtime in this process has no ") + name);
  return reinterpret_cast<Function*>(address);
}

void check(cudaError_t error, const char* name) {
  if (error != cudaSuccess)
    throw InternalError(std::string(name) + " failed with error " + std::to_string(error));
}

}  // namespace

CudaMemory cuda_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(runtime_function<decltype(cudaMemGetInfo)>("cudaMemGetInfo")(&free, &total),
        "cudaMemGetInfo");
  return {.free = static_cast<Bytes>(free), .total = static_cast<Bytes>(total)};
}

std::optional<int> cuda_attribute(int number, int device) {
  int value = 0;
  auto* const ask = runtime_function<decltype(cudaDeviceGetAttribute)>("cudaDeviceGetAttribute");
  if (ask(&value, static_cast<cudaDeviceAttr>(number), device) == cudaSuccess) return value;
  runtime_function<decltype(cudaGetLastError)>("cudaGetLastError")();  // else Torch would report it
  return std::nullopt;
}

bool cuda_can_access_peer(int device, int peer) {
  int can = 0;
  check(runtime_function<decltype(cudaDeviceCanAccessPeer)>("cudaDeviceCanAccessPeer")(&can, device,
                                                                                       peer),
        "cudaDeviceCanAccessPeer");
  return can != 0;
}

int cuda_driver_version() {
  int version = 0;
  check(runtime_function<decltype(cudaDriverGetVersion)>("cudaDriverGetVersion")(&version),
        "cudaDriverGetVersion");
  return version;
}

}  // namespace highwater
