#include <cuda.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
int nvrtcCreateProgram(void** program, const char* source, const char* name, int,
                       const char* const*, const char* const*);
int nvrtcDestroyProgram(void** program);
int nvrtcAddNameExpression(void* program, const char* expression);
int nvrtcCompileProgram(void* program, int, const char* const*);
int nvrtcGetLoweredName(void* program, const char* expression, const char** lowered);
int nvrtcGetCUBINSize(void* program, std::size_t* bytes);
int nvrtcGetCUBIN(void* program, char* image);
}

namespace {

/// The way of Torch's jiterator: compile, take the image, load it, find the kernel in it.
TEST(Nvrtc, LeadsToAKernelThatCanBeLaunched) {
  void* program = nullptr;
  ASSERT_EQ(nvrtcCreateProgram(&program, "__global__ void k() {}", nullptr, 0, nullptr, nullptr),
            0);
  EXPECT_EQ(nvrtcAddNameExpression(program, "k"), 0);
  EXPECT_EQ(nvrtcCompileProgram(program, 0, nullptr), 0);
  const char* lowered = nullptr;
  ASSERT_EQ(nvrtcGetLoweredName(program, "k", &lowered), 0);
  std::size_t bytes = 0;
  EXPECT_EQ(nvrtcGetCUBINSize(program, &bytes), 0);
  std::vector<char> image(bytes);
  EXPECT_EQ(nvrtcGetCUBIN(program, image.data()), 0);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, image.data()), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, lowered), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(nvrtcDestroyProgram(&program), 0);
  EXPECT_EQ(program, nullptr);
}

TEST(Nvrtc, KnowsOnlyTheNamesItWasTold) {
  void* program = nullptr;
  ASSERT_EQ(nvrtcCreateProgram(&program, "", nullptr, 0, nullptr, nullptr), 0);
  const char* lowered = nullptr;
  EXPECT_NE(nvrtcGetLoweredName(program, "k", &lowered), 0);
  nvrtcDestroyProgram(&program);
}

}  // namespace
