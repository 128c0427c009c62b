#include "simgpu/device/kernel_log.hpp"
#include "tests/support/own_path.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

extern "C" {
int cublasCreate_v2(void**);
int cublasGemmStridedBatchedEx(void*, int, int, int, int, int, const void*, const void*, int, int,
                               long long, const void*, int, int, long long, const void*, void*, int,
                               int, long long, int, int, int);
}

namespace {

using nlohmann::json;

const char kernel_function = 0;

[[noreturn]] void work_with_log(const std::string& path) {
  setenv("SIMGPU_KERNEL_LOG", path.c_str(), 1);
  void* device = nullptr;
  void* cublas = nullptr;
  char host[100];
  cudaStream_t stream = nullptr;
  cudaMalloc(&device, 100);
  cudaStreamCreate(&stream);
  cublasCreate_v2(&cublas);
  simgpu::register_kernel(&kernel_function, "_Z3sumv");
  cudaMemcpy(host, device, 100, cudaMemcpyDeviceToHost);
  cudaMemsetAsync(device, 0, 50, stream);
  cudaLaunchKernel(&kernel_function, dim3(4, 2), dim3(128), nullptr, 1024, stream);
  cublasGemmStridedBatchedEx(cublas, 1, 0, 16, 32, 64, nullptr, nullptr, 14, 64, 0, nullptr, 14, 64,
                             0, nullptr, nullptr, 0, 16, 0, 7, 0, 0);
  std::_Exit(0);
}

std::vector<json> read_log(const std::string& path) {
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(KernelLogDeathTest, TellsWhatWasPutIntoStreams) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = ::testing_support::own_path("kernel_log_test.jsonl");
  std::filesystem::remove(path);
  EXPECT_EXIT(work_with_log(path), testing::ExitedWithCode(0), "");
  const auto lines = read_log(path);
  ASSERT_EQ(lines.size(), 4u);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["index"], i);
  EXPECT_EQ(lines[0]["kind"], "copy");
  EXPECT_EQ(lines[0]["direction"], "device to host");
  EXPECT_EQ(lines[0]["bytes"], 100);
  EXPECT_EQ(lines[0]["stream"], 0);
  EXPECT_EQ(lines[1]["kind"], "fill");
  EXPECT_NE(lines[1]["stream"], 0);
  EXPECT_EQ(lines[2]["name"], "_Z3sumv");
  EXPECT_EQ(lines[2]["module"],
            std::filesystem::read_symlink("/proc/self/exe").filename().string());
  EXPECT_EQ(lines[2]["grid"], json({4, 2, 1}));
  EXPECT_EQ(lines[2]["block"], json({128, 1, 1}));
  EXPECT_EQ(lines[2]["shared_bytes"], 1024);
  EXPECT_EQ(lines[3]["name"], "cublasGemmStridedBatchedEx");
  EXPECT_EQ(lines[3]["m"], 16);
  EXPECT_EQ(lines[3]["n"], 32);
  EXPECT_EQ(lines[3]["k"], 64);
  EXPECT_EQ(lines[3]["batch"], 7);
  EXPECT_EQ(lines[3]["transposed"], "TN");
  EXPECT_EQ(lines[3]["types"], json({"bf16", "bf16", "f32"}));
}

TEST(KernelLogDeathTest, RefusesAFileThatCannotBeOpened) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(work_with_log("/no/such/folder/log"), testing::ExitedWithCode(2),
              "SIMGPU_KERNEL_LOG. cannot be opened");
}

}  // namespace
