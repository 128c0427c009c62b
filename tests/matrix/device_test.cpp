#include "harness/matrix/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

const std::vector<std::string> kKnown = {"cuda", "cpu", "sim:a100-80gb", "sim:h200"};
using Names = std::vector<std::string>;

TEST(Device, AcceleratorIsTheRealCardWhereADriverIsPresent) {
  EXPECT_EQ(resolve_devices({"accelerator", "cpu"}, kKnown, true), (Names{"cuda", "cpu"}));
  EXPECT_EQ(resolve_devices({"accelerator", "cpu"}, kKnown, false), (Names{"sim:h200", "cpu"}));
}

TEST(Device, StandsOnceHoweverOftenItIsNamed) {
  EXPECT_EQ(resolve_devices({"accelerator", "sim:h200"}, kKnown, false), Names{"sim:h200"});
}

TEST(Device, AnUnknownProfileGetsTheNearest) {
  try {
    resolve_devices({"sim:h20"}, kKnown, false);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown device \"sim:h20\"; did you mean \"sim:h200\"?");
  }
}

TEST(Device, NamesFollowTheProfilesOfTheFolder) {
  const auto names = device_names(HIGHWATER_SOURCE_DIR "/simgpu/profiles");
  EXPECT_NE(std::ranges::find(names, "sim:h200"), names.end());
  EXPECT_EQ(device_names("no/such/folder"), (Names{"cuda", "cpu"}));
}

}  // namespace
}  // namespace highwater
