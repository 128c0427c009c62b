#include "simgpu/device/attributes.hpp"

#include <cuda.h>
#include <driver_types.h>

#include <algorithm>

namespace simgpu {
namespace {

constexpr FieldAttribute by_field[] = {
    {cudaDevAttrMaxSharedMemoryPerBlock, &Profile::shared_memory_per_block_bytes},
    {cudaDevAttrMaxRegistersPerBlock, &Profile::registers_per_block},
    {cudaDevAttrClockRate, &Profile::clock_rate_khz},
    {cudaDevAttrMultiProcessorCount, &Profile::multiprocessor_count},
    {cudaDevAttrEccEnabled, &Profile::ecc_enabled},
    {cudaDevAttrMemoryClockRate, &Profile::memory_clock_rate_khz},
    {cudaDevAttrGlobalMemoryBusWidth, &Profile::memory_bus_width_bits},
    {cudaDevAttrL2CacheSize, &Profile::l2_cache_bytes},
    {cudaDevAttrMaxThreadsPerMultiProcessor, &Profile::max_threads_per_multiprocessor},
    {cudaDevAttrAsyncEngineCount, &Profile::async_engine_count},
    {cudaDevAttrComputeCapabilityMajor, &Profile::compute_capability_major},
    {cudaDevAttrComputeCapabilityMinor, &Profile::compute_capability_minor},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &Profile::shared_memory_per_multiprocessor_bytes},
    {cudaDevAttrMaxRegistersPerMultiprocessor, &Profile::registers_per_multiprocessor},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, &Profile::single_to_double_performance_ratio},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, &Profile::shared_memory_per_block_optin_bytes},
    {cudaDevAttrMaxBlocksPerMultiprocessor, &Profile::max_blocks_per_multiprocessor},
    {cudaDevAttrMaxPersistingL2CacheSize, &Profile::persisting_l2_cache_max_bytes},
    {cudaDevAttrMaxAccessPolicyWindowSize, &Profile::access_policy_window_max_bytes},
    {cudaDevAttrReservedSharedMemoryPerBlock, &Profile::reserved_shared_memory_per_block_bytes},
    {cudaDevAttrGPUDirectRDMASupported, &Profile::gpu_direct_rdma},
    {CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, &Profile::gpu_direct_rdma},
    {cudaDevAttrClusterLaunch, &Profile::cluster_launch},
    {cudaDevAttrMemSyncDomainCount, &Profile::memory_sync_domain_count},
    {CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, &Profile::tensor_map_access},
};

/// Limits from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
/// texture pitches and alignments as deviceQuery prints them on every listed card.
constexpr FixedAttribute fixed[] = {
    {cudaDevAttrMaxThreadsPerBlock, 1024},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, 2147483647},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrTotalConstantMemory, 65536},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrKernelExecTimeout, 0},
    {cudaDevAttrIntegrated, 0},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture3DWidth, 16384},
    {cudaDevAttrMaxTexture3DHeight, 16384},
    {cudaDevAttrMaxTexture3DDepth, 16384},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrPciDeviceId, 0},
    {cudaDevAttrTccDriver, 0},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {cudaDevAttrPciDomainId, 0},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrMaxTextureCubemapWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxSurface1DWidth, 32768},
    {cudaDevAttrMaxSurface2DWidth, 131072},
    {cudaDevAttrMaxSurface2DHeight, 65536},
    {cudaDevAttrMaxSurface3DWidth, 16384},
    {cudaDevAttrMaxSurface3DHeight, 16384},
    {cudaDevAttrMaxSurface3DDepth, 16384},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrIsMultiGpuBoard, 0},
    {cudaDevAttrHostNativeAtomicSupported, 0},
    {cudaDevAttrPageableMemoryAccess, 0},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 1},
    {cudaDevAttrCanFlushRemoteWrites, 0},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0},
    {cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 1},
    // Fabric handles and multicast need an NVSwitch with its daemons; a lone device has neither.
    {CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0},
    {cudaDevAttrMemoryPoolSupportedHandleTypes, cudaMemHandleTypePosixFileDescriptor},
    {cudaDevAttrSparseCudaArraySupported, 1},
    {cudaDevAttrHostRegisterReadOnlySupported, 0},
    {cudaDevAttrTimelineSemaphoreInteropSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrGPUDirectRDMAFlushWritesOptions, cudaFlushGPUDirectRDMAWritesOptionHost},
    {cudaDevAttrGPUDirectRDMAWritesOrdering, 0},
    {cudaDevAttrDeferredMappingCudaArraySupported, 1},
    {CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED, 0},
    {cudaDevAttrIpcEventSupport, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS, 0},
    {cudaDevAttrNumaConfig, cudaDeviceNumaConfigNone},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrMpsEnabled, 0},
    {cudaDevAttrHostNumaId, -1},
};

}  // namespace

std::span<const FieldAttribute> field_attributes() { return by_field; }
std::span<const FixedAttribute> fixed_attributes() { return fixed; }

std::optional<int> device_attribute(int number, int ordinal) {
  if (number == cudaDevAttrPciBusId) return pci_bus(ordinal);
  if (number == cudaDevAttrMultiGpuBoardGroupID) return ordinal;
  const auto* field = std::ranges::find(by_field, number, &FieldAttribute::number);
  if (field != std::end(by_field)) return static_cast<int>(profile().*field->field);
  const auto* constant = std::ranges::find(fixed, number, &FixedAttribute::number);
  if (constant != std::end(fixed)) return constant->value;
  return std::nullopt;
}

}  // namespace simgpu
