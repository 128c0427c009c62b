#pragma once

#include <cstddef>

#include "simgpu/device/export.hpp"
#include "torch_build.hpp"

/// The few types of cuBLAS's C interface that the stand-in looks at, declared from its
/// documentation (https://docs.nvidia.com/cuda/cublas/): the toolkit's own header is not in the
/// wheels this is built from. Enumerations are C ints.
namespace simgpu::cublas {

enum Status : int { success = 0, not_initialized = 1, invalid_value = 7, execution_failed = 13 };
enum PointerMode : int { host_pointers = 0, device_pointers = 1 };

/// What cublasGetVersion answers (10000 * major + 100 * minor + patch): the cuBLAS that Torch's
/// wheels for this CUDA ask for by their metadata: 12.4.5, 13.1.0 and 13.4.1.
constexpr int version = torch_cuda_version >= 13020   ? 130401
                        : torch_cuda_version >= 13000 ? 130100
                                                      : 120405;

/// What a program can set on a handle and ask back.
struct Handle {
  void* stream = nullptr;
  int math_mode = 0;  // CUBLAS_DEFAULT_MATH
  int pointer_mode = host_pointers;
  int atomics_mode = 0;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

/// Puts a routine's work into the handle's stream.
int launch(const Handle* handle, const char* name);

}  // namespace simgpu::cublas

/// Defines an entry point that would launch kernels in its handle's stream: counted, successful,
/// nothing computed. Its other arguments are not looked at, so they are not declared (the C calling
/// convention leaves them to the caller).
#define SIMGPU_EXPORT_LAUNCH(name)                              \
  SIMGPU_EXPORT int name(simgpu::cublas::Handle* handle, ...) { \
    return simgpu::cublas::launch(handle, #name);               \
  }
