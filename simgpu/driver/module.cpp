#include <cuda.h>

#include <cstring>
#include <string>

#include "simgpu/device/export.hpp"
#include "simgpu/device/kernels.hpp"
#include "simgpu/device/memory.hpp"
#include "simgpu/device/occupancy.hpp"
#include "simgpu/device/stop.hpp"

/// Modules and functions compiled at run time. No image is looked into: modules and functions are
/// handles, launches are counted.

using namespace simgpu;

namespace {

/// Handles only have to be distinct from null.
struct Handle {};

template <class Pointer>
CUresult create(Pointer* handle) {
  *handle = reinterpret_cast<Pointer>(new Handle);
  return CUDA_SUCCESS;
}

/// The driver's errors have the numbers of the runtime's.
CUresult launch(const KernelLaunch& launch) { return static_cast<CUresult>(launch_kernel(launch)); }

}  // namespace

SIMGPU_EXPORT CUresult cuModuleLoad(CUmodule* module, const char*) { return create(module); }

SIMGPU_EXPORT CUresult cuModuleLoadData(CUmodule* module, const void*) { return create(module); }

SIMGPU_EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*,
                                          void**) {
  return create(module);
}

SIMGPU_EXPORT CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<Handle*>(module);
  return CUDA_SUCCESS;
}

/// Functions and their names live as long as the process; there are few.
SIMGPU_EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  create(function);
  register_kernel(*function, strdup(name));
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = assumed_registers_per_thread;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      stop_unanswered("cuFuncGetAttribute, attribute " + std::to_string(attribute), "the driver");
  }
}

SIMGPU_EXPORT CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }

SIMGPU_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction,
                                                                   int threads,
                                                                   std::size_t shared_bytes) {
  *blocks = blocks_per_multiprocessor(threads, shared_bytes);
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                      unsigned grid_z, unsigned block_x, unsigned block_y,
                                      unsigned block_z, unsigned shared_bytes, CUstream stream,
                                      void**, void**) {
  return launch(
      {function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream});
}

SIMGPU_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x,
                                                 unsigned grid_y, unsigned grid_z, unsigned block_x,
                                                 unsigned block_y, unsigned block_z,
                                                 unsigned shared_bytes, CUstream stream, void**) {
  return launch(
      {function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream});
}

SIMGPU_EXPORT CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute,
                                             CUdeviceptr pointer) {
  const auto block = find_block(pointer);
  if (!block) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(value) = pointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(value) = CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(value) = block->device;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(value) = block->address;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(value) = block->bytes;
      return CUDA_SUCCESS;
    default:
      stop_unanswered("cuPointerGetAttribute, attribute " + std::to_string(attribute),
                      "the driver");
  }
}
