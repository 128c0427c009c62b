#include "simgpu/device/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simgpu/device/attributes.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

using nlohmann::json;

const std::string h200_path = std::string(SIMGPU_PROFILE_DIR) + "/h200.json";

json h200() { return json::parse(std::ifstream(h200_path)); }

std::string write(const std::string& text) {
  const std::string path = testing::TempDir() + "simgpu_profile_test_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  std::ofstream(path) << text;
  return path;
}

/// What loading `text` as a profile complains about, without the path in front.
std::string complaint(const std::string& text) {
  const std::string path = write(text);
  try {
    load_profile(path);
    return "no complaint";
  } catch (const ConfigError& error) {
    const std::string prefix = "the profile " + path + " ";
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(prefix)) << what;
    return what.substr(prefix.size());
  }
}

TEST(Profile, LoadsEveryShippedFile) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(SIMGPU_PROFILE_DIR)) {
    SCOPED_TRACE(entry.path());
    const Profile profile = load_profile(entry.path());
    EXPECT_FALSE(profile.name.empty());
    EXPECT_NE(profile.notes.find("stimate"), std::string::npos);
    ++files;
  }
  EXPECT_GE(files, 4);
}

TEST(Profile, HoldsThePublishedNumbersOfAnH200) {
  const Profile profile = load_profile(h200_path);
  EXPECT_EQ(profile.total_memory_bytes, 150'109'945'856);
  EXPECT_EQ(profile.multiprocessor_count, 132);
  EXPECT_EQ(profile.compute_capability_major, 9);
  EXPECT_EQ(profile.shared_memory_per_block_optin_bytes, 232'448);
}

TEST(Profile, NamesAMissingKey) {
  for (const ProfileField& field : profile_fields()) {
    json lacking = h200();
    lacking.erase(field.key);
    EXPECT_EQ(complaint(lacking.dump()), "lacks the key '" + std::string(field.key) + "'.");
  }
}

TEST(Profile, NamesAnUnknownKey) {
  json more = h200();
  more["colour"] = "green";
  EXPECT_EQ(complaint(more.dump()), "has the unknown key 'colour'.");
}

TEST(Profile, NamesAKeyOfTheWrongType) {
  json wrong = h200();
  wrong["multiprocessor_count"] = "132";
  EXPECT_EQ(complaint(wrong.dump()), "has no whole number under the key 'multiprocessor_count'.");
  wrong["multiprocessor_count"] = 0;
  EXPECT_EQ(complaint(wrong.dump()), "has a value below 1 under the key 'multiprocessor_count'.");
}

TEST(Profile, RefusesAFileWithoutSources) {
  json wrong = h200();
  wrong["sources"] = json::array();
  EXPECT_EQ(complaint(wrong.dump()), "has no list of texts under the key 'sources'.");
}

TEST(Profile, RefusesWhatIsNoJsonObject) {
  EXPECT_EQ(complaint("{"), "is not a JSON object.");
  EXPECT_EQ(complaint("[]"), "is not a JSON object.");
}

TEST(Profile, RefusesAContextLargerThanTheMemory) {
  json wrong = h200();
  wrong["context_bytes"] = wrong["total_memory_bytes"];
  EXPECT_EQ(complaint(wrong.dump()), "has 'context_bytes' not below 'total_memory_bytes'.");
}

TEST(Profile, NamesAFileThatCannotBeOpened) {
  EXPECT_THROW(
      {
        try {
          load_profile("no/such/file.json");
        } catch (const ConfigError& error) {
          EXPECT_STREQ(error.what(),
                       "the profile no/such/file.json (SIMGPU_PROFILE) cannot be opened.");
          throw;
        }
      },
      ConfigError);
}

TEST(Attributes, AreListedOnceEach) {
  std::vector<int> numbers;
  for (const auto& attribute : field_attributes()) numbers.push_back(attribute.number);
  for (const auto& attribute : fixed_attributes()) numbers.push_back(attribute.number);
  std::ranges::sort(numbers);
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

}  // namespace
}  // namespace simgpu
