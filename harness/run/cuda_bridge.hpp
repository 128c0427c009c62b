#pragma once

#include <cstdint>
#include <string>

#include "harness/core/bytes.hpp"

namespace highwater {

/// The CUDA calls that LibTorch exports but declares in headers which need the whole toolkit
/// (ATen/cuda/CUDAContextLight.h includes cublas and cusparse). The only place that depends on
/// them.

struct CudaDevice {
  std::string name;
  Bytes total_memory = 0;
  int capability_major = 0;
  int capability_minor = 0;
  int multiprocessors = 0;
};

/// Compile-time CUDA version of LibTorch, e.g. 13000.
long cuda_version();
/// cuDNN's version as 10000 * major + 100 * minor + patch: of the library in this process, and of
/// the one that LibTorch was built with.
long cudnn_version();
long cudnn_version_of_torch();
int cuda_device_count();
/// Whether the CUDA libraries in this process are the simulated GPU's.
bool cuda_is_simulated();
/// How many sizes the simulated GPU has been asked for that only a real device knows.
/// @throws InternalError where the CUDA libraries are not the simulated GPU's.
std::uint64_t unknown_sizes_asked();
/// The device must be initialised.
CudaDevice cuda_device(int index);
void cuda_synchronize();
/// Releases the cuBLAS and cuBLASLt workspaces of all threads back to the caching allocator.
void clear_cublas_workspaces();
void cuda_empty_cache();

/// What the driver says is free on the device, of how much.
struct DriverFree {
  Bytes free = 0;
  Bytes total = 0;
};
DriverFree cuda_free_memory(int index);

struct OutOfMemoryReport {
  Bytes wanted = 0;
  Bytes free = 0;
  Bytes total = 0;
};

/// Starts listening for failed allocations; last_out_of_memory() is the newest.
void observe_out_of_memory();
OutOfMemoryReport last_out_of_memory();

}  // namespace highwater
