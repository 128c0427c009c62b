#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "simgpu/device/kernels.hpp"

extern "C" {
void cusparseLtInit();  // generated functions take what they are given
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetMathMode(void* handle, int mode);
int cublasGetMathMode(void* handle, int* mode);
int cublasSgemm_v2(...);
int cublasSdot_v2(void*, int, const void*, int, const void*, int, float* result);
std::size_t cublasLtGetVersion();
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int requested,
                                   void* results, int* found);
int cuptiSubscribe(...);
std::size_t cudnnGetVersion();
}

namespace {

TEST(LibrariesDeathTest, StopAtAnUnimplementedFunctionByName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(cusparseLtInit(), "cusparseLtInit .libcusparseLt.so.0. is not simulated");
}

TEST(Libraries, AnswerTheVersionsTorchIsBuiltWith) {
  EXPECT_EQ(cudnnGetVersion(), 91900u);
  EXPECT_EQ(cublasLtGetVersion(), 130100u);
  int version = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version / 1000, 13);
}

TEST(Libraries, KeepTheStateOfACublasHandle) {
  void* handle = nullptr;
  ASSERT_EQ(cublasCreate_v2(&handle), 0);
  int mode = -1;
  EXPECT_EQ(cublasSetMathMode(handle, 3), 0);
  EXPECT_EQ(cublasGetMathMode(handle, &mode), 0);
  EXPECT_EQ(mode, 3);
  EXPECT_EQ(cublasDestroy_v2(handle), 0);
}

TEST(Libraries, CountProductsAndComputeNothing) {
  const std::uint64_t before = simgpu::library_calls();
  void* handle = nullptr;
  ASSERT_EQ(cublasCreate_v2(&handle), 0);
  EXPECT_EQ(cublasSgemm_v2(handle, 1, 2, 3), 0);
  float result = 5;
  EXPECT_EQ(cublasSdot_v2(handle, 1, nullptr, 1, nullptr, 1, &result), 0);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(simgpu::library_calls(), before + 2);
  EXPECT_EQ(cublasSgemm_v2(nullptr, 1, 2, 3), 1);  // CUBLAS_STATUS_NOT_INITIALIZED
  EXPECT_EQ(cublasDestroy_v2(handle), 0);
}

TEST(Libraries, OfferOneAlgorithmWithoutWorkspace) {
  struct {
    std::uint64_t algorithm[8];
    std::size_t workspace_bytes;
    int rest[8];
  } result;
  result.workspace_bytes = 1;
  int found = 0;
  EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                           nullptr, 1, &result, &found),
            0);
  EXPECT_EQ(found, 1);
  EXPECT_EQ(result.workspace_bytes, 0u);
}

TEST(Libraries, SayThatTracingIsNotSupported) { EXPECT_NE(cuptiSubscribe(nullptr), 0); }

TEST(Libraries, ServeDriverEntryPointsByName) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMemCreate", &function, 12000, 0, &result),
            cudaSuccess);
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 12000, 0, &result),
            cudaSuccess);
  EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
}

/// As a launcher does it: every file of the list, in order, everything resolved at once.
TEST(Libraries, OpenInTheOrderOfTheirList) {
  Dl_info info;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&cudaGetDeviceCount), &info), 0);
  const std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  std::ifstream list(folder / "sonames.txt");
  int opened = 0;
  for (std::string name; std::getline(list, name); ++opened)
    EXPECT_NE(dlopen((folder / name).c_str(), RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror();
  EXPECT_GE(opened, 16);
}

}  // namespace
