#include "harness/exec/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class ExecSettingsTest : public ::testing::Test {
 protected:
  ExecSettingsTest() { write_file_atomically(profile(), R"({"context_bytes": 1073741824})"); }

  std::filesystem::path profile() const { return file("h100-sxm.json"); }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

  std::string value(const ExecSettings& settings, const std::string& name) const {
    const auto variables = simgpu_environment(settings, profile());
    const auto row = std::ranges::find(variables, name, &Environment::value_type::first);
    return row == variables.end() ? "(unset)" : row->second;
  }

  std::string refusal(const std::function<void(ExecSettings&)>& change) const {
    ExecSettings settings;
    change(settings);
    try {
      simgpu_environment(settings, profile());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "(accepted)";
  }

 private:
  testing_fakes::TemporaryFolder folder_;
};

TEST_F(ExecSettingsTest, WhatIsNotAskedForStaysUnset) {
  const Environment variables = simgpu_environment({}, profile());
  ASSERT_EQ(variables.size(), 2U);
  EXPECT_EQ(variables[0].first, "SIMGPU_PROFILE");
  EXPECT_EQ(variables[0].second, profile().string());
  EXPECT_EQ(variables[1], (Environment::value_type{"SIMGPU_DEVICES", "1"}));
}

TEST_F(ExecSettingsTest, EveryVariableThatAFlagSetsIsTakenFromTheOutside) {
  ExecSettings settings{.capacity = "24GiB",
                        .devices = 2,
                        .order = "random:7",
                        .reads = "ones",
                        .log = file("kernels.jsonl").string(),
                        .unknown_sizes = "high",
                        .world = 8,
                        .rank = 3};
  const auto decided = decided_variables();
  for (const auto& [name, text] : simgpu_environment(settings, profile()))
    EXPECT_NE(std::ranges::find(decided, name), decided.end()) << name;
  EXPECT_EQ(value(settings, "SIMGPU_CAPACITY_BYTES"), "25769803776");
  EXPECT_EQ(value(settings, "SIMGPU_DEVICES"), "2");
  EXPECT_EQ(value(settings, "SIMGPU_ADDRESS_ORDER"), "random:7");
  EXPECT_EQ(value(settings, "SIMGPU_READS"), "ones");
  EXPECT_EQ(value(settings, "SIMGPU_UNKNOWN_SIZES"), "high");
}

TEST_F(ExecSettingsTest, FilesAreNamedSoThatTheyAreFoundFromEveryFolder) {
  write_file_atomically(file("answers.txt"), "x");
  const auto relative = std::filesystem::relative(file("answers.txt"));
  EXPECT_EQ(std::filesystem::weakly_canonical(value({.reads = relative.string()}, "SIMGPU_READS")),
            std::filesystem::weakly_canonical(file("answers.txt")));
  EXPECT_TRUE(value({.reads = relative.string()}, "SIMGPU_READS").starts_with("/"));
}

TEST_F(ExecSettingsTest, TheKernelLogStartsEmpty) {
  write_file_atomically(file("kernels.jsonl"), "of an earlier run\n");
  value({.log = file("kernels.jsonl").string()}, "SIMGPU_KERNEL_LOG");
  EXPECT_EQ(read_file(file("kernels.jsonl")), "");
}

TEST_F(ExecSettingsTest, WrongValuesAreRefusedWithTheirFlag) {
  using Settings = ExecSettings;
  const auto folder = file("").string();
  const std::vector<std::pair<std::function<void(Settings&)>, std::string>> mistakes = {
      {[](Settings& s) { s.capacity = "1GiB"; }, "--capacity 1GiB leaves nothing"},
      {[](Settings& s) { s.capacity = "2GB"; }, "cannot read \"2GB\" as a size"},
      {[](Settings& s) { s.devices = 0; }, "--devices 0"},
      {[](Settings& s) { s.devices = 65; }, "--devices 65"},
      {[](Settings& s) { s.order = "upwards"; }, "--order upwards"},
      {[](Settings& s) { s.order = "random:x"; }, "--order random:x"},
      {[](Settings& s) { s.reads = "no/such"; }, "--reads no/such"},
      {[&](Settings& s) { s.log = folder; }, "--log"},
      {[&](Settings& s) { s.cudnn = folder; }, "holds no libcudnn.so.9"},
      {[](Settings& s) { s.world = 8; }, "--world N and --rank R belong together"},
      {[](Settings& s) { s.world = 8, s.rank = 8; }, "--rank 8 of --world 8"},
  };
  for (const auto& [change, sentence] : mistakes)
    EXPECT_NE(refusal(change).find(sentence), std::string::npos) << refusal(change);
}

TEST_F(ExecSettingsTest, TheCudnnBesideTorchIsTakenFirstAndOursOnlyForItsCuda) {
  write_file_atomically(file("ours/libcudnn.so.9"), "");
  ::setenv("HIGHWATER_CUDNN_DIR", file("ours").c_str(), 1);
  write_file_atomically(file("13/libcudart.so.13"), "");
  write_file_atomically(file("12/libcudart.so.12"), "");
  EXPECT_EQ(find_cudnn(file("site/torch"), file("13")), file("ours").string());
  EXPECT_EQ(find_cudnn(file("site/torch"), file("12")), "");
  write_file_atomically(file("site/nvidia/cudnn/lib/libcudnn.so.9"), "");
  EXPECT_EQ(find_cudnn(file("site/torch"), file("13")), file("site/nvidia/cudnn/lib").string());
  ::unsetenv("HIGHWATER_CUDNN_DIR");
}

TEST_F(ExecSettingsTest, AProfileIsFoundByNameOrByFile) {
  const auto profiles = profile().parent_path();
  EXPECT_EQ(find_profile("sim:h100-sxm", profiles), profile());
  EXPECT_EQ(find_profile(profile().string(), "nowhere"), profile());
  EXPECT_THROW(find_profile("no/such.json", profiles), UsageError);
  try {
    find_profile("sim:h100", profiles);
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"sim:h100-sxm\"?"), std::string::npos);
  }
  EXPECT_THROW(find_profile("cuda", profiles), UsageError);
}

TEST_F(ExecSettingsTest, AFileThatIsNoProfileIsRefused) {
  write_file_atomically(file("wrong.json"), "[1, 2]");
  EXPECT_THROW(simgpu_environment({}, file("wrong.json")), UsageError);
}

}  // namespace
}  // namespace highwater
