#include "simgpu/device/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simgpu/device/attributes.hpp"
#include "simgpu/device/capability.hpp"
#include "simgpu/device/stop.hpp"
#include "tests/support/own_path.hpp"

namespace simgpu {
namespace {

using nlohmann::json;

const std::string h200_path = std::string(SIMGPU_PROFILE_DIR) + "/h200.json";

json h200() { return json::parse(std::ifstream(h200_path)); }

std::string write(const std::string& text) {
  const std::string path = ::testing_support::own_path("profile.json");
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

std::vector<std::filesystem::path> shipped_profiles() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SIMGPU_PROFILE_DIR))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  return paths;
}

TEST(Profile, LoadsEveryShippedFile) {
  EXPECT_EQ(shipped_profiles().size(), 14U);
  for (const auto& path : shipped_profiles()) {
    SCOPED_TRACE(path);
    EXPECT_FALSE(load_profile(path).name.empty());
  }
}

TEST(Profile, OfEveryShippedFileHasOneSourceForEveryKey) {
  for (const auto& path : shipped_profiles()) {
    SCOPED_TRACE(path);
    std::vector<std::string> sourced;
    for (const ProfileSource& source : load_profile(path).sources) {
      sourced.insert(sourced.end(), source.keys.begin(), source.keys.end());
      if (source.basis == "published") {
        EXPECT_NE(source.text.find("https://"), std::string::npos) << source.text;
      }
    }
    json values = json::parse(std::ifstream(path));
    values.erase("sources");
    std::ranges::sort(sourced);
    std::vector<std::string> keys;
    for (const auto& item : values.items()) keys.push_back(item.key());  // sorted by json
    EXPECT_EQ(sourced, keys);
  }
}

/// The rule of simgpu/README.md, "Context size".
TEST(Profile, OfEveryShippedFileEstimatesTheContextByTheSameRule) {
  for (const auto& path : shipped_profiles()) {
    const Profile profile = load_profile(path);
    EXPECT_EQ(profile.context_bytes,
              2048 * profile.multiprocessor_count * profile.max_threads_per_multiprocessor)
        << path;
  }
}

TEST(Profile, HoldsThePublishedNumbersOfAnH200) {
  const Profile profile = load_profile(h200_path);
  EXPECT_EQ(profile.total_memory_bytes, 150'109'945'856);
  EXPECT_EQ(profile.multiprocessor_count, 132);
  EXPECT_EQ(profile.compute_capability_major, 9);
  EXPECT_EQ(profile.shared_memory_per_block_optin_bytes, 232'448);
}

bool follows_from_capability(const ProfileField& field) {
  return std::ranges::find(capability_fields(), field.member) != capability_fields().end();
}

/// The H200 without `key` among its values and its sources.
json lacking(const std::string& key) {
  json profile = h200();
  profile.erase(key);
  for (json& source : profile["sources"]) {
    std::erase(source["keys"].get_ref<json::array_t&>(), json(key));
  }
  std::erase_if(profile["sources"].get_ref<json::array_t&>(),
                [](const json& source) { return source["keys"].empty(); });
  return profile;
}

TEST(Profile, NamesAMissingKey) {
  for (const ProfileField& field : profile_fields()) {
    if (follows_from_capability(field)) continue;
    EXPECT_EQ(complaint(lacking(field.key).dump()),
              "lacks the key '" + std::string(field.key) + "'.");
  }
}

TEST(Profile, TakesWhatFollowsFromTheCapabilityFromTheTable) {
  const Profile t4 = load_profile(std::string(SIMGPU_PROFILE_DIR) + "/t4.json");
  EXPECT_EQ(t4.max_threads_per_multiprocessor, 1024);
  EXPECT_EQ(t4.shared_memory_per_block_optin_bytes, 65536);
  EXPECT_EQ(t4.reserved_shared_memory_per_block_bytes, 0);
}

TEST(Profile, PrefersItsOwnValueToTheTable) {
  json own = h200();
  own["max_threads_per_multiprocessor"] = 1024;
  EXPECT_EQ(load_profile(write(own.dump())).max_threads_per_multiprocessor, 1024);
}

TEST(Profile, OfAnUnknownCapabilityMustGiveEverythingItself) {
  json unknown = h200();
  unknown["compute_capability_minor"] = 3;
  EXPECT_EQ(complaint(unknown.dump()),
            "lacks the key 'max_threads_per_multiprocessor', which is not known for its compute "
            "capability.");
  const Profile known = load_profile(h200_path);
  for (const ProfileField& field : profile_fields())
    if (follows_from_capability(field)) unknown[field.key] = known.*field.member;
  EXPECT_EQ(complaint(unknown.dump()), "no complaint");
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
  wrong["multiprocessor_count"] = 132.5;
  EXPECT_EQ(complaint(wrong.dump()), "has no whole number under the key 'multiprocessor_count'.");
  wrong = h200();
  wrong["name"] = "";
  EXPECT_EQ(complaint(wrong.dump()), "has no text under the key 'name'.");
}

TEST(Profile, NamesAValueOutOfRange) {
  for (const ProfileField& field : profile_fields()) {
    for (const std::int64_t value : {field.minimum - 1, field.maximum + 1}) {
      json wrong = h200();
      wrong[field.key] = value;
      EXPECT_EQ(complaint(wrong.dump()), "has " + std::to_string(value) + " under the key '" +
                                             field.key + "', which must be from " +
                                             std::to_string(field.minimum) + " to " +
                                             std::to_string(field.maximum) + ".");
    }
  }
}

TEST(Profile, RefusesAFileWithoutSources) {
  json wrong = h200();
  wrong["sources"] = json::array();
  EXPECT_EQ(complaint(wrong.dump()), "has no list of sources under the key 'sources'.");
  wrong["sources"] = {json::object()};
  EXPECT_EQ(complaint(wrong.dump()), "has a source without a list of 'keys'.");
}

TEST(Profile, NamesWhatIsWrongInASource) {
  const auto with = [](const std::string& key, const json& value) {
    json wrong = h200();
    wrong["sources"][0][key] = value;
    return complaint(wrong.dump());
  };
  EXPECT_EQ(with("keys", {"colour"}), "has a source for \"colour\", which is no key of the file.");
  EXPECT_EQ(with("keys", {1}), "has a source for 1, which is no key of the file.");
  EXPECT_EQ(with("basis", "hearsay"),
            "has a source of the basis 'hearsay', which must be published, measured or estimate.");
  EXPECT_EQ(with("text", ""), "has no text under the key 'text' of a source.");
  EXPECT_EQ(with("url", "x"), "has the unknown key 'url' of a source.");
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

/// The published schema says what the reader accepts.
class Schema : public testing::Test {
 protected:
  const json schema =
      json::parse(std::ifstream(std::string(SIMGPU_PROFILE_DIR) + "/schema/profile.schema.json"));
};

TEST_F(Schema, BoundsEveryFieldAsTheReaderDoes) {
  const json& properties = schema.at("properties");
  EXPECT_EQ(properties.size(), profile_fields().size() + 2);  // and name and sources
  for (const ProfileField& field : profile_fields()) {
    SCOPED_TRACE(field.key);
    ASSERT_TRUE(properties.contains(field.key));
    EXPECT_EQ(properties[field.key].at("type"), "integer");
    EXPECT_EQ(properties[field.key].at("minimum"), field.minimum);
    EXPECT_EQ(properties[field.key].at("maximum"), field.maximum);
  }
}

TEST_F(Schema, RequiresWhatTheReaderRequires) {
  std::vector<std::string> required = {"name", "sources"};
  for (const ProfileField& field : profile_fields())
    if (!follows_from_capability(field)) required.push_back(field.key);
  EXPECT_EQ(schema.at("required"), json(required));
  EXPECT_EQ(schema.at("additionalProperties"), false);
}

TEST_F(Schema, NamesTheBasesThatTheReaderKnows) {
  const json& source = schema.at("properties").at("sources").at("items");
  EXPECT_EQ(source.at("additionalProperties"), false);
  EXPECT_EQ(source.at("required").size(), source.at("properties").size());
  for (const json& basis : source.at("properties").at("basis").at("enum")) {
    json profile = h200();
    profile["sources"][0]["basis"] = basis;
    EXPECT_EQ(complaint(profile.dump()), "no complaint") << basis;
  }
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
