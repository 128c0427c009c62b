#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "simgpu/cudart/error.hpp"
#include "simgpu/device/attributes.hpp"
#include "simgpu/device/config.hpp"
#include "simgpu/device/current.hpp"
#include "simgpu/device/identity.hpp"

#if CUDART_VERSION < 12000 || CUDART_VERSION >= 14000
#error "cudaDeviceProp is filled for CUDA 12 and 13; add a table for what another version adds"
#endif

using namespace simgpu;

namespace {

struct IntProperty {
  int cudaDeviceProp::*member;
  cudaDeviceAttr attribute;
};

struct SizeProperty {
  std::size_t cudaDeviceProp::*member;
  cudaDeviceAttr attribute;
};

/// Properties that are arrays: element `index` of the array at `first` answers `attribute`.
struct ArrayProperty {
  int* (*first)(cudaDeviceProp&);
  int index;
  cudaDeviceAttr attribute;
};

using P = cudaDeviceProp;

constexpr IntProperty int_properties[] = {
    {&P::regsPerBlock, cudaDevAttrMaxRegistersPerBlock},
    {&P::warpSize, cudaDevAttrWarpSize},
    {&P::maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
    {&P::major, cudaDevAttrComputeCapabilityMajor},
    {&P::minor, cudaDevAttrComputeCapabilityMinor},
    {&P::multiProcessorCount, cudaDevAttrMultiProcessorCount},
    {&P::integrated, cudaDevAttrIntegrated},
    {&P::canMapHostMemory, cudaDevAttrCanMapHostMemory},
    {&P::maxTexture1D, cudaDevAttrMaxTexture1DWidth},
    {&P::maxTexture1DMipmap, cudaDevAttrMaxTexture1DMipmappedWidth},
    {&P::maxTextureCubemap, cudaDevAttrMaxTextureCubemapWidth},
    {&P::maxSurface1D, cudaDevAttrMaxSurface1DWidth},
    {&P::maxSurfaceCubemap, cudaDevAttrMaxSurfaceCubemapWidth},
    {&P::concurrentKernels, cudaDevAttrConcurrentKernels},
    {&P::ECCEnabled, cudaDevAttrEccEnabled},
    {&P::pciBusID, cudaDevAttrPciBusId},
    {&P::pciDeviceID, cudaDevAttrPciDeviceId},
    {&P::pciDomainID, cudaDevAttrPciDomainId},
    {&P::tccDriver, cudaDevAttrTccDriver},
    {&P::asyncEngineCount, cudaDevAttrAsyncEngineCount},
    {&P::unifiedAddressing, cudaDevAttrUnifiedAddressing},
    {&P::memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
    {&P::l2CacheSize, cudaDevAttrL2CacheSize},
    {&P::persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize},
    {&P::maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
    {&P::streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
    {&P::globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
    {&P::localL1CacheSupported, cudaDevAttrLocalL1CacheSupported},
    {&P::regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
    {&P::managedMemory, cudaDevAttrManagedMemory},
    {&P::isMultiGpuBoard, cudaDevAttrIsMultiGpuBoard},
    {&P::multiGpuBoardGroupID, cudaDevAttrMultiGpuBoardGroupID},
    {&P::hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported},
    {&P::pageableMemoryAccess, cudaDevAttrPageableMemoryAccess},
    {&P::concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
    {&P::computePreemptionSupported, cudaDevAttrComputePreemptionSupported},
    {&P::canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem},
    {&P::cooperativeLaunch, cudaDevAttrCooperativeLaunch},
    {&P::pageableMemoryAccessUsesHostPageTables, cudaDevAttrPageableMemoryAccessUsesHostPageTables},
    {&P::directManagedMemAccessFromHost, cudaDevAttrDirectManagedMemAccessFromHost},
    {&P::maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
    {&P::accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize},
    {&P::hostRegisterSupported, cudaDevAttrHostRegisterSupported},
    {&P::sparseCudaArraySupported, cudaDevAttrSparseCudaArraySupported},
    {&P::hostRegisterReadOnlySupported, cudaDevAttrHostRegisterReadOnlySupported},
    {&P::timelineSemaphoreInteropSupported, cudaDevAttrTimelineSemaphoreInteropSupported},
    {&P::memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    {&P::gpuDirectRDMASupported, cudaDevAttrGPUDirectRDMASupported},
    {&P::gpuDirectRDMAWritesOrdering, cudaDevAttrGPUDirectRDMAWritesOrdering},
    {&P::deferredMappingCudaArraySupported, cudaDevAttrDeferredMappingCudaArraySupported},
    {&P::ipcEventSupported, cudaDevAttrIpcEventSupport},
    {&P::clusterLaunch, cudaDevAttrClusterLaunch},
};

/// Members that only one of the two layouts has: CUDA 13 dropped what 12 had deprecated.
#if CUDART_VERSION < 13000
constexpr IntProperty version_properties[] = {
    {&P::clockRate, cudaDevAttrClockRate},
    {&P::memoryClockRate, cudaDevAttrMemoryClockRate},
    {&P::deviceOverlap, cudaDevAttrGpuOverlap},
    {&P::kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
    {&P::computeMode, cudaDevAttrComputeMode},
    {&P::maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
    {&P::singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio},
    {&P::cooperativeMultiDeviceLaunch, cudaDevAttrCooperativeMultiDeviceLaunch},
};
#else
constexpr IntProperty version_properties[] = {
    {&P::deviceNumaConfig, cudaDevAttrNumaConfig},
    {&P::deviceNumaId, cudaDevAttrNumaId},
    {&P::mpsEnabled, cudaDevAttrMpsEnabled},
    {&P::hostNumaId, cudaDevAttrHostNumaId},
};
#endif

constexpr SizeProperty size_properties[] = {
    {&P::sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
    {&P::memPitch, cudaDevAttrMaxPitch},
    {&P::totalConstMem, cudaDevAttrTotalConstantMemory},
    {&P::textureAlignment, cudaDevAttrTextureAlignment},
    {&P::texturePitchAlignment, cudaDevAttrTexturePitchAlignment},
    {&P::surfaceAlignment, cudaDevAttrSurfaceAlignment},
    {&P::sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {&P::sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {&P::reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock},
};

int* threads(P& p) { return p.maxThreadsDim; }
int* grid(P& p) { return p.maxGridSize; }
int* texture_2d(P& p) { return p.maxTexture2D; }
int* texture_2d_mipmap(P& p) { return p.maxTexture2DMipmap; }
int* texture_2d_linear(P& p) { return p.maxTexture2DLinear; }
int* texture_2d_gather(P& p) { return p.maxTexture2DGather; }
int* texture_3d(P& p) { return p.maxTexture3D; }
int* texture_3d_alternate(P& p) { return p.maxTexture3DAlt; }
int* texture_1d_layered(P& p) { return p.maxTexture1DLayered; }
int* texture_2d_layered(P& p) { return p.maxTexture2DLayered; }
int* texture_cubemap_layered(P& p) { return p.maxTextureCubemapLayered; }
int* surface_2d(P& p) { return p.maxSurface2D; }
int* surface_3d(P& p) { return p.maxSurface3D; }
int* surface_1d_layered(P& p) { return p.maxSurface1DLayered; }
int* surface_2d_layered(P& p) { return p.maxSurface2DLayered; }
int* surface_cubemap_layered(P& p) { return p.maxSurfaceCubemapLayered; }

constexpr ArrayProperty array_properties[] = {
    {threads, 0, cudaDevAttrMaxBlockDimX},
    {threads, 1, cudaDevAttrMaxBlockDimY},
    {threads, 2, cudaDevAttrMaxBlockDimZ},
    {grid, 0, cudaDevAttrMaxGridDimX},
    {grid, 1, cudaDevAttrMaxGridDimY},
    {grid, 2, cudaDevAttrMaxGridDimZ},
    {texture_2d, 0, cudaDevAttrMaxTexture2DWidth},
    {texture_2d, 1, cudaDevAttrMaxTexture2DHeight},
    {texture_2d_mipmap, 0, cudaDevAttrMaxTexture2DMipmappedWidth},
    {texture_2d_mipmap, 1, cudaDevAttrMaxTexture2DMipmappedHeight},
    {texture_2d_linear, 0, cudaDevAttrMaxTexture2DLinearWidth},
    {texture_2d_linear, 1, cudaDevAttrMaxTexture2DLinearHeight},
    {texture_2d_linear, 2, cudaDevAttrMaxTexture2DLinearPitch},
    {texture_2d_gather, 0, cudaDevAttrMaxTexture2DGatherWidth},
    {texture_2d_gather, 1, cudaDevAttrMaxTexture2DGatherHeight},
    {texture_3d, 0, cudaDevAttrMaxTexture3DWidth},
    {texture_3d, 1, cudaDevAttrMaxTexture3DHeight},
    {texture_3d, 2, cudaDevAttrMaxTexture3DDepth},
    {texture_3d_alternate, 0, cudaDevAttrMaxTexture3DWidthAlt},
    {texture_3d_alternate, 1, cudaDevAttrMaxTexture3DHeightAlt},
    {texture_3d_alternate, 2, cudaDevAttrMaxTexture3DDepthAlt},
    {texture_1d_layered, 0, cudaDevAttrMaxTexture1DLayeredWidth},
    {texture_1d_layered, 1, cudaDevAttrMaxTexture1DLayeredLayers},
    {texture_2d_layered, 0, cudaDevAttrMaxTexture2DLayeredWidth},
    {texture_2d_layered, 1, cudaDevAttrMaxTexture2DLayeredHeight},
    {texture_2d_layered, 2, cudaDevAttrMaxTexture2DLayeredLayers},
    {texture_cubemap_layered, 0, cudaDevAttrMaxTextureCubemapLayeredWidth},
    {texture_cubemap_layered, 1, cudaDevAttrMaxTextureCubemapLayeredLayers},
    {surface_2d, 0, cudaDevAttrMaxSurface2DWidth},
    {surface_2d, 1, cudaDevAttrMaxSurface2DHeight},
    {surface_3d, 0, cudaDevAttrMaxSurface3DWidth},
    {surface_3d, 1, cudaDevAttrMaxSurface3DHeight},
    {surface_3d, 2, cudaDevAttrMaxSurface3DDepth},
    {surface_1d_layered, 0, cudaDevAttrMaxSurface1DLayeredWidth},
    {surface_1d_layered, 1, cudaDevAttrMaxSurface1DLayeredLayers},
    {surface_2d_layered, 0, cudaDevAttrMaxSurface2DLayeredWidth},
    {surface_2d_layered, 1, cudaDevAttrMaxSurface2DLayeredHeight},
    {surface_2d_layered, 2, cudaDevAttrMaxSurface2DLayeredLayers},
    {surface_cubemap_layered, 0, cudaDevAttrMaxSurfaceCubemapLayeredWidth},
    {surface_cubemap_layered, 1, cudaDevAttrMaxSurfaceCubemapLayeredLayers},
};

/// Every attribute in the tables above is in the attribute table; a test asks for all of them.
int answer(cudaDeviceAttr attribute, int device) {
  return device_attribute(attribute, device).value();
}

void fill(P& p, int device) {
  p = {};
  profile().name.copy(p.name, sizeof p.name - 1);
  std::ranges::copy(device_uuid(device), p.uuid.bytes);
  p.totalGlobalMem = static_cast<std::size_t>(profile().total_memory_bytes);
  for (const auto& [member, attribute] : int_properties) p.*member = answer(attribute, device);
  for (const auto& [member, attribute] : version_properties) p.*member = answer(attribute, device);
  for (const auto& [member, attribute] : size_properties)
    p.*member = static_cast<std::size_t>(answer(attribute, device));
  for (const auto& [first, index, attribute] : array_properties)
    first(p)[index] = answer(attribute, device);
  p.gpuDirectRDMAFlushWritesOptions =
      static_cast<unsigned>(answer(cudaDevAttrGPUDirectRDMAFlushWritesOptions, device));
  p.memoryPoolSupportedHandleTypes =
      static_cast<unsigned>(answer(cudaDevAttrMemoryPoolSupportedHandleTypes, device));
}

}  // namespace

/// CUDA 12's headers make this cudaGetDeviceProperties_v2.
SIMGPU_EXPORT cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (config().device_count == 0) return cudart::report(cudaErrorNoDevice);
  if (!is_device(device)) return cudart::report(cudaErrorInvalidDevice);
  fill(*properties, device);
  return cudaSuccess;
}
