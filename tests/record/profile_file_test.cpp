#include "harness/record/profile_file.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class ProfileFiles : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return profiles_path(folder_.path(), "bed", "default"); }

  std::string error_on(const std::string& text) const {
    write_file_atomically(path(), text);
    try {
      read_profiles(path());
    } catch (const UsageError& error) {
      return std::string(error.what()).substr(path().string().size());
    }
    return "accepted";
  }

 private:
  testing_fakes::TemporaryFolder folder_;
};

const std::string kFirst = "{\"schema\":\"highwater.profiles/1\"}\n";

std::string line(const std::string& cell) { return "{\"cell\":\"" + cell + "\",\"profile\":{}}\n"; }

TEST_F(ProfileFiles, RoundTrip) {
  const Profiles profiles = {
      {"a", {{"gradients", "backward", "block.0.qkv", "MmBackward0", 1, 512}}}, {"b", {}}};
  write_file_atomically(path(), profiles_text(profiles));
  EXPECT_EQ(read_profiles(path()), profiles);
}

TEST_F(ProfileFiles, NoFileIsNoProfiles) { EXPECT_TRUE(read_profiles(path()).empty()); }

TEST_F(ProfileFiles, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(error_on("").substr(0, 3), ":1:");
  EXPECT_EQ(error_on("{\"schema\":\"highwater.profiles/9\"}\n").substr(0, 3), ":1:");
  EXPECT_EQ(error_on(kFirst + line("b") + line("a")),
            ":3: a stands twice or is out of order; cells are sorted");
  EXPECT_EQ(error_on(kFirst + line("a") + line("a")),
            ":3: a stands twice or is out of order; cells are sorted");
  EXPECT_EQ(error_on(kFirst + "<<<<<<< ours\n").rfind(":2: merge-conflict marker: ", 0), 0U);
  EXPECT_EQ(error_on(kFirst + "{\"cell\":\"a\",\"profile\":{},\"x\":1}\n").substr(0, 3), ":2:");
  EXPECT_EQ(error_on(kFirst + "{\"cell\":\"a\",\"profile\":[1]}\n").substr(0, 3), ":2:");
}

}  // namespace
}  // namespace highwater
