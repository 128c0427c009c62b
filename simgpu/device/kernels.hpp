#pragma once

#include <array>
#include <cstdint>

#include "simgpu/device/export.hpp"
#include "simgpu/device/stream.hpp"

namespace simgpu {

/// Remembers the name of the kernel that the host function `handle` stands for. `name` must live as
/// long as the process (it does: it is a literal of the library that registers it).
SIMGPU_SHARED void register_kernel(const void* handle, const char* name);

struct Extent {
  unsigned x, y, z;
};

struct KernelLaunch {
  const void* kernel;  ///< may be unregistered
  Extent grid, block;
  std::uint64_t shared_bytes;  ///< dynamic shared memory of a block
  StreamHandle stream;
};

/// Puts a kernel into its stream. Errors as of `enqueue`.
SIMGPU_SHARED cudaError_t launch_kernel(const KernelLaunch& launch);

SIMGPU_SHARED std::uint64_t kernel_launches();
SIMGPU_SHARED const void* last_launched_kernel();

/// The registered (mangled) name, "none" for nullptr, "unregistered" otherwise.
SIMGPU_SHARED const char* kernel_name(const void* handle);

/// A matrix product of a library: op(a) of m x k times op(b) of k x n, column-major as cuBLAS has
/// it.
struct Product {
  const char* name;
  int operation_a, operation_b;  ///< cublasOperation_t
  std::int64_t m, n, k, batch;
  std::array<int, 3> types;  ///< cudaDataType_t of a, b and the result
};

/// Puts a product into a stream. Errors as of `enqueue`.
SIMGPU_SHARED cudaError_t call_product(StreamHandle stream, const Product& product);

/// Puts a library routine that would have computed something (cuBLAS, cuBLASLt, ...) into a stream.
/// `name` must live as long as the process. Errors as of `enqueue`.
SIMGPU_SHARED cudaError_t call_library(StreamHandle stream, const char* name = "unnamed");
SIMGPU_SHARED std::uint64_t library_calls();

}  // namespace simgpu
