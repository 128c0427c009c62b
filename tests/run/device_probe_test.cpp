#include "harness/run/device_probe.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/core/error.hpp"
#include "simgpu/device/profile.hpp"
#include "tests/support/own_path.hpp"

namespace highwater {
namespace {

/// What the simulated GPU reads from a profile that was written to a file.
simgpu::Profile read_back(const nlohmann::json& profile) {
  const std::string path = ::testing_support::own_path("highwater_device_probe.json");
  std::ofstream(path) << profile;
  return simgpu::load_profile(path);
}

TEST(DeviceProbe, SimulatedCardGivesBackItsOwnProfile) {
  const DeviceProbe probe = probe_device("sim:h200");
  const simgpu::Profile written = read_back(probe.profile);
  const simgpu::Profile shipped =
      simgpu::load_profile(HIGHWATER_SOURCE_DIR "/simgpu/profiles/h200.json");
  EXPECT_EQ(written.name, shipped.name);
  for (const simgpu::ProfileField& field : simgpu::profile_fields()) {
    EXPECT_EQ(written.*field.member, shipped.*field.member) << field.key;
    EXPECT_TRUE(probe.profile.contains(field.key)) << field.key;
  }
}

TEST(DeviceProbe, SimulatedCardSaysOfEachValueHowItWasFound) {
  const nlohmann::json profile = probe_device("sim:h200").profile;
  std::map<std::string, std::string> basis;
  for (const auto& source : profile.at("sources")) {
    for (const auto& key : source.at("keys")) {
      EXPECT_TRUE(basis.emplace(key, source.at("basis")).second) << key;
    }
  }
  EXPECT_EQ(basis.size(), profile.size() - 1);
  EXPECT_EQ(basis.at("context_bytes"), "measured");
  EXPECT_EQ(basis.at("peer_access"), "measured");  // there are two cards to ask
}

TEST(DeviceProbe, SimulatedCardHasAllThatCudnnDemands) {
  const nlohmann::json device = probe_device("sim:h200").cudnn_device;
  EXPECT_EQ(device.size(), 23U);
  EXPECT_EQ(device.at("deviceVer"), 900);
  EXPECT_EQ(device.at("maxBlockSize"), nlohmann::json({1024, 1024, 64}));
  EXPECT_EQ(device.at("maxGridSize"), nlohmann::json({2147483647, 65535, 65535}));
  EXPECT_EQ(device.at("smClockRateKHz"), 1980000);
  EXPECT_EQ(device.at("totalGlobalMem"), 150'109'945'856);
}

TEST(DeviceProbe, SimulatedCardsAreListed) {
  const DeviceSummary card = {"NVIDIA H200", "9.0", 150'109'945'856, 132};
  EXPECT_EQ(probe_device("sim:h200").devices, (std::vector{card, card}));
}

TEST(DeviceProbe, RefusesTheCpu) { EXPECT_THROW(probe_device("cpu"), UsageError); }

}  // namespace
}  // namespace highwater
