#include "harness/launch/device_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <cstdlib>
#include <map>

#include "harness/core/files.hpp"
#include "harness/launch/cell_process.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

InstallPaths paths() {
  InstallPaths paths;
  paths.profiles = "share/profiles";
  paths.standins = "lib/simgpu";
  return paths;
}

bool unsets(const std::string& id, const std::string& name) {
  const auto names = unset_variables(parse_cell_id(id), paths());
  return std::ranges::find(names, name) != names.end();
}

// Whatever cuDNN this machine has is not these tests' business.
class DeviceEnvironment : public ::testing::Test {
 protected:
  DeviceEnvironment() { ::setenv("HIGHWATER_CUDNN_DIR", "", 1); }
};

TEST_F(DeviceEnvironment, ASimulatedDeviceGetsItsProfileAndASecondCardForWhoAsksForIt) {
  const Cell cell = parse_cell_id("m/full/t/sim:h200");
  EXPECT_EQ(cell_environment(cell, paths()),
            (Variables{{"SIMGPU_PROFILE", "share/profiles/h200.json"},
                       {"SIMGPU_DEVICES", "2"},
                       {"SIMGPU_UNKNOWN_SIZES", "low"}}));
}

TEST_F(DeviceEnvironment, CapacityReachesTheSimulatedDevice) {
  const auto variables =
      cell_environment(parse_cell_id("m/full/t/sim:h200/capacity=1024"), paths());
  EXPECT_EQ(variables.back(),
            (std::pair<std::string, std::string>("SIMGPU_CAPACITY_BYTES", "1024")));
}

TEST_F(DeviceEnvironment, ASimulatedDeviceIsToldWhereCudnnLies) {
  ::setenv("HIGHWATER_CUDNN_DIR", HIGHWATER_SOURCE_DIR, 1);
  EXPECT_TRUE(unsets("m/full/t/sim:h200", "SIMGPU_CUDNN_DIR")) << "no such library lies there";
  const testing_fakes::TemporaryFolder folder;
  write_file_atomically(folder.path() / "libcudnn.so.9", "");
  ::setenv("HIGHWATER_CUDNN_DIR", folder.path().c_str(), 1);
  const auto variables = cell_environment(parse_cell_id("m/full/t/sim:h200"), paths());
  EXPECT_NE(std::ranges::find(variables, std::pair<std::string, std::string>(
                                             "SIMGPU_CUDNN_DIR", folder.path().string())),
            variables.end());
  EXPECT_TRUE(unsets("m/twin/t/cpu", "SIMGPU_CUDNN_DIR"));
}

TEST_F(DeviceEnvironment, TheHighEndIsTheSameCommandButForTheAnswerToUnknownSizes) {
  const Cell cell = parse_cell_id("m/full/t/sim:h200/capacity=1024");
  Command high = high_end_command(cell, paths());
  const auto row = std::ranges::find(high.environment, "SIMGPU_UNKNOWN_SIZES",
                                     &std::pair<std::string, std::string>::first);
  ASSERT_NE(row, high.environment.end());
  EXPECT_EQ(row->second, "high");
  row->second = "low";
  EXPECT_EQ(high.environment, cell_command(cell, paths()).environment);
}

TEST_F(DeviceEnvironment, CpuPinsThreadsAndInstructionSet) {
  EXPECT_EQ(cell_environment(parse_cell_id("m/twin/t/cpu"), paths()),
            (Variables{{"SIMGPU_DEVICES", "0"},
                       {"ONEDNN_MAX_CPU_ISA", "AVX2"},
                       {"ATEN_CPU_CAPABILITY", "avx2"},
                       {"OMP_NUM_THREADS", "1"},
                       {"MKL_NUM_THREADS", "1"}}));
}

TEST_F(DeviceEnvironment, ARealCardGetsNothingAndNoStandIns) {
  const Cell cell = parse_cell_id("m/full/t/cuda");
  EXPECT_TRUE(cell_environment(cell, paths()).empty());
  for (const std::string& argument : cell_command(cell, paths()).arguments) {
    EXPECT_NE(argument, "--standins");
  }
}

TEST_F(DeviceEnvironment, StandInsAreGivenOnSimAndCpu) {
  for (const char* id : {"m/full/t/sim:h200", "m/twin/t/cpu"}) {
    const auto arguments = cell_command(parse_cell_id(id), paths()).arguments;
    ASSERT_EQ(arguments.size(), 9U);
    EXPECT_EQ(arguments[3], "--standins");
    EXPECT_EQ(arguments[4], "lib/simgpu");
    EXPECT_EQ(arguments[5], "--parent");
    EXPECT_EQ(arguments[7], "--result-fd");
  }
}

TEST_F(DeviceEnvironment, WhatChangesBytesAndIsNotInTheTestbedReachesNoCell) {
  for (const char* id : {"m/full/t/sim:h200", "m/twin/t/cpu", "m/full/t/cuda"}) {
    for (const char* name :
         {"PYTORCH_NO_CUDA_MEMORY_CACHING", "CUBLASLT_WORKSPACE_SIZE", "DISABLE_ADDMM_CUDA_LT",
          "TORCH_BLAS_PREFER_CUBLASLT", "TORCH_BLAS_PREFER_CUBLAS", "TORCH_CUDNN_V8_API_DISABLED",
          "NVIDIA_TF32_OVERRIDE", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "SIMGPU_READS",
          "SIMGPU_EVENTS", "SIMGPU_ADDRESSES"}) {
      EXPECT_TRUE(unsets(id, name)) << id << " " << name;
    }
  }
}

TEST_F(DeviceEnvironment, TheSimulatedGpuIsUnsetWhereTheTableDoesNotSetIt) {
  EXPECT_TRUE(unsets("m/full/t/sim:h200", "SIMGPU_CAPACITY_BYTES"));
  EXPECT_FALSE(unsets("m/full/t/sim:h200/capacity=1024", "SIMGPU_CAPACITY_BYTES"));
  EXPECT_FALSE(unsets("m/full/t/sim:h200", "SIMGPU_PROFILE"));
  EXPECT_TRUE(unsets("m/twin/t/cpu", "SIMGPU_PROFILE"));
  EXPECT_FALSE(unsets("m/twin/t/cpu", "SIMGPU_DEVICES"));
  EXPECT_TRUE(unsets("m/full/t/cuda", "SIMGPU_DEVICES"));
  EXPECT_TRUE(unsets("m/full/t/cuda", "SIMGPU_UNKNOWN_SIZES"));
}

TEST_F(DeviceEnvironment, WhatTheTestbedRecordsIsInherited) {
  for (const char* name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
                           "CUBLAS_WORKSPACE_CONFIG", "SIMGPU_ADDRESS_ORDER"}) {
    EXPECT_FALSE(unsets("m/full/t/sim:h200", name)) << name;
  }
}

/// The GPUs that a cell on cuda is shown, under these variables of our own.
Variables gpus_under(const std::map<std::string, std::string>& own) {
  for (const auto& [name, value] : own) ::setenv(name.c_str(), value.c_str(), 1);
  const Variables variables = cell_environment(parse_cell_id("m/full/t/cuda"), paths());
  for (const auto& [name, value] : own) ::unsetenv(name.c_str());
  return variables;
}

TEST_F(DeviceEnvironment, ARealDeviceIsTheOneThatCTestGave) {
  const Variables by_ctest = {{"CUDA_VISIBLE_DEVICES", "3"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
  EXPECT_EQ(gpus_under({{"CTEST_RESOURCE_GROUP_0_GPUS", "id:3,slots:1"}}), by_ctest);
  EXPECT_EQ(gpus_under(
                {{"CTEST_RESOURCE_GROUP_0_GPUS", "id:3,slots:1"}, {"CUDA_VISIBLE_DEVICES", "0,1"}}),
            by_ctest);
}

TEST_F(DeviceEnvironment, WithoutCTestTheUsersGpusStayVisible) {
  EXPECT_EQ(gpus_under({}), Variables{});
  EXPECT_EQ(gpus_under({{"CUDA_VISIBLE_DEVICES", "2"}, {"CUDA_DEVICE_ORDER", "FASTEST_FIRST"}}),
            (Variables{{"CUDA_VISIBLE_DEVICES", "2"}, {"CUDA_DEVICE_ORDER", "FASTEST_FIRST"}}));
}

TEST_F(DeviceEnvironment, GpusThatTheUserHidStayHidden) {
  EXPECT_EQ(gpus_under({{"CUDA_VISIBLE_DEVICES", ""}}),
            (Variables{{"CUDA_VISIBLE_DEVICES", "-1"}}));
}

}  // namespace
}  // namespace highwater
