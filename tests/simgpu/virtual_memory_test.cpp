#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace {

constexpr std::size_t page = 2 << 20;

constexpr CUmemAllocationProp on_device_0() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return properties;
}

constexpr CUmemAllocationProp properties = on_device_0();

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return free;
}

CUdeviceptr reserve(std::size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAddressReserve(&pointer, bytes, 0, 0, 0), CUDA_SUCCESS);
  return pointer;
}

CUmemGenericAllocationHandle create(std::size_t bytes) {
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, bytes, &properties, 0), CUDA_SUCCESS);
  return handle;
}

TEST(VirtualMemory, CostsNothingWhileOnlyReserved) {
  const std::size_t before = free_bytes();
  const CUdeviceptr pointer = reserve(std::size_t{200} << 30);  // more than the whole device
  EXPECT_EQ(free_bytes(), before);
  EXPECT_EQ(cuMemAddressFree(pointer, std::size_t{200} << 30), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(pointer, std::size_t{200} << 30), CUDA_ERROR_INVALID_VALUE);
}

TEST(VirtualMemory, CountsFromCreationUntilReleasedAndUnmapped) {
  const std::size_t before = free_bytes();
  const CUdeviceptr pointer = reserve(4 * page);
  const CUmemGenericAllocationHandle handle = create(page);
  EXPECT_EQ(free_bytes(), before - page);
  EXPECT_EQ(cuMemMap(pointer + page, page, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before - page);
  EXPECT_EQ(cuMemUnmap(pointer + page, page), CUDA_SUCCESS);
  EXPECT_EQ(free_bytes(), before);
}

TEST(VirtualMemory, RefusesOverlappingAndForeignMappings) {
  const CUdeviceptr pointer = reserve(2 * page);
  const CUmemGenericAllocationHandle first = create(page), second = create(page);
  EXPECT_EQ(cuMemMap(pointer, page, 0, first, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(pointer, page, 0, second, 0), CUDA_ERROR_INVALID_VALUE);
  void* plain = nullptr;
  ASSERT_EQ(cudaMalloc(&plain, page), cudaSuccess);
  EXPECT_EQ(cuMemMap(reinterpret_cast<CUdeviceptr>(plain), page, 0, second, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(pointer, 2 * page), CUDA_ERROR_INVALID_VALUE);
}

TEST(VirtualMemory, SharesItsCapacityWithPlainAllocations) {
  const std::size_t all = free_bytes() / page * page;
  const CUmemGenericAllocationHandle handle = create(all);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, page), cudaErrorMemoryAllocation);
  CUmemGenericAllocationHandle other = 0;
  EXPECT_EQ(cuMemCreate(&other, page, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaMalloc(&pointer, page), cudaSuccess);
}

TEST(VirtualMemory, IsNotFreedByCudaFree) {
  const CUdeviceptr pointer = reserve(page);
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(pointer)), cudaErrorInvalidValue);
}

TEST(VirtualMemory, ComesInPagesOfTwoMebibytes) {
  std::size_t granularity = 0;
  EXPECT_EQ(cuMemGetAllocationGranularity(&granularity, &properties,
                                          CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
            CUDA_SUCCESS);
  EXPECT_EQ(granularity, page);
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(cuMemCreate(&handle, page / 2, &properties, 0), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
