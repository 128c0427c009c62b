#include <cuda.h>

#include "simgpu/device/current.hpp"
#include "simgpu/device/memory.hpp"
#include "simgpu/device/physical.hpp"

/// The calls behind Torch's expandable segments: addresses are reserved, physical memory is created
/// against capacity, and one is mapped onto the other. Exporting memory to another process is
/// "not supported": Torch then does without.

using namespace simgpu;

namespace {

bool is_whole_pages(std::size_t bytes) { return bytes != 0 && bytes % page_bytes == 0; }

bool is_on_device(const CUmemAllocationProp& properties) {
  return properties.type == CU_MEM_ALLOCATION_TYPE_PINNED &&
         properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
         is_device(properties.location.id);
}

CUresult done_if(bool condition) { return condition ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

}  // namespace

SIMGPU_EXPORT CUresult cuMemGetAllocationGranularity(std::size_t* granularity,
                                                     const CUmemAllocationProp* properties,
                                                     CUmemAllocationGranularity_flags) {
  if (!is_on_device(*properties)) return CUDA_ERROR_INVALID_VALUE;
  *granularity = page_bytes;
  return CUDA_SUCCESS;
}

/// The wanted address is a hint that the real driver may ignore too.
SIMGPU_EXPORT CUresult cuMemAddressReserve(CUdeviceptr* pointer, std::size_t bytes,
                                           std::size_t alignment, CUdeviceptr, unsigned long long) {
  if (!is_whole_pages(bytes) || alignment > page_bytes) return CUDA_ERROR_INVALID_VALUE;
  const auto address = allocate_block(current_device(), bytes, BlockKind::reserved);
  if (!address) return CUDA_ERROR_OUT_OF_MEMORY;
  *pointer = *address;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuMemAddressFree(CUdeviceptr pointer, std::size_t bytes) {
  const auto block = find_block(pointer);
  const bool is_whole = block && block->kind == BlockKind::reserved && block->address == pointer &&
                        block->span_bytes == bytes;
  return done_if(is_whole && release_block(pointer));
}

SIMGPU_EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                                   const CUmemAllocationProp* properties, unsigned long long) {
  if (!is_whole_pages(bytes) || !is_on_device(*properties)) return CUDA_ERROR_INVALID_VALUE;
  const auto created = create_physical(properties->location.id, bytes);
  if (!created) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = *created;
  return CUDA_SUCCESS;
}

SIMGPU_EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return done_if(release_physical(handle));
}

SIMGPU_EXPORT CUresult cuMemMap(CUdeviceptr pointer, std::size_t bytes, std::size_t offset,
                                CUmemGenericAllocationHandle handle, unsigned long long) {
  return done_if(offset == 0 && map_physical(pointer, bytes, handle));
}

SIMGPU_EXPORT CUresult cuMemUnmap(CUdeviceptr pointer, std::size_t bytes) {
  return done_if(unmap_physical(pointer, bytes));
}

SIMGPU_EXPORT CUresult cuMemSetAccess(CUdeviceptr pointer, std::size_t, const CUmemAccessDesc*,
                                      std::size_t) {
  return done_if(find_block(pointer).has_value());
}

SIMGPU_EXPORT CUresult cuMemExportToShareableHandle(void*, CUmemGenericAllocationHandle,
                                                    CUmemAllocationHandleType, unsigned long long) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

SIMGPU_EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle*, void*,
                                                      CUmemAllocationHandleType) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

SIMGPU_EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle*, void*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

SIMGPU_EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp*,
                                                              CUmemGenericAllocationHandle) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

SIMGPU_EXPORT CUresult cuMemsetD32Async(CUdeviceptr pointer, unsigned, std::size_t, CUstream) {
  return done_if(find_block(pointer).has_value());
}

SIMGPU_EXPORT CUresult cuStreamWriteValue32_v2(CUstream, CUdeviceptr pointer, cuuint32_t,
                                               unsigned) {
  return done_if(find_block(pointer).has_value());
}
