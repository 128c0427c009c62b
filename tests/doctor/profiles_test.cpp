#include "harness/doctor/profiles.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

TEST(SimulatedDevices, AreAllThatAreShipped) {
  const auto devices = simulated_devices(HIGHWATER_SOURCE_DIR "/simgpu/profiles");
  ASSERT_EQ(devices.size(), 14U);
  EXPECT_EQ(devices.front().device, "sim:a100-40gb");
  for (const SimulatedDevice& device : devices) {
    ASSERT_TRUE(std::holds_alternative<DeviceSummary>(device.summary)) << device.device;
    const auto& card = std::get<DeviceSummary>(device.summary);
    EXPECT_GT(card.multiprocessor_count, 0) << device.device;
    if (device.device == "sim:t4") {
      EXPECT_EQ(card, (DeviceSummary{"Tesla T4", "7.5", 15'655'829'504, 40}));
    }
  }
}

TEST(SimulatedDevices, WithABrokenFileSayWhichOne) {
  const testing_fakes::TemporaryFolder folder;
  write_file_atomically(folder.path() / "mine.json", "{");
  const auto devices = simulated_devices(folder.path());
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_NE(std::get<std::string>(devices[0].summary).find("mine.json cannot be read as a profile"),
            std::string::npos);
}

TEST(WriteProfile, KeepsAFileThatExistsUnlessForced) {
  const testing_fakes::TemporaryFolder folder;
  const auto file = folder.path() / "card.json";
  const DeviceProbe probe{.devices = {}, .profile = {{"a", 1}}, .cudnn_device = {{"b", 2}}};
  const auto written = write_profile(probe, file, /*overwrite=*/false);
  EXPECT_EQ(written, (std::vector{file, folder.path() / "card.cudnn.json"}));
  EXPECT_EQ(read_file(file), "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(read_file(written[1]), "{\n  \"b\": 2\n}\n");
  const DeviceProbe other{.devices = {}, .profile = {{"a", 3}}, .cudnn_device = {}};
  EXPECT_THROW(write_profile(other, file, /*overwrite=*/false), UsageError);
  std::filesystem::remove(file);  // the one beside it is kept as well
  EXPECT_THROW(write_profile(other, file, /*overwrite=*/false), UsageError);
  EXPECT_FALSE(std::filesystem::exists(file));
  write_profile(other, file, /*overwrite=*/true);
  EXPECT_EQ(read_file(file), "{\n  \"a\": 3\n}\n");
}

}  // namespace
}  // namespace highwater
