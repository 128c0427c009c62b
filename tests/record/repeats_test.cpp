#include "harness/record/repeats.hpp"

#include <gtest/gtest.h>

#include <set>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater {
namespace {

Repeats sample() {
  return {.suite = "default",
          .created = "2026-01-31T12:00:00Z",
          .rounds = 3,
          .testbeds = {{"sim:h200", {"bed", {}}}},
          .versions = {{"torch", "2.11.0"}},
          .cells = {{testing_fakes::sample_id("a"),
                     {{"peak_allocated_bytes", {5, 5, 5}}, {"leak_bytes", {0, 1, 0}}},
                     {{"peak_allocated_bytes", {7, 7, 8}}},
                     {"round 2: failed: why"}}}};
}

class RepeatsFile : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "noise.jsonl"; }
  std::string refusal(const std::string& old_text, const std::string& new_text) const {
    std::string text = repeats_text(sample());
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos) << text;
    write_file_atomically(file(), text.replace(at, old_text.size(), new_text));
    try {
      read_repeats(file());
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
  testing_fakes::TemporaryFolder folder_;
};

TEST_F(RepeatsFile, IsReadAsItWasWrittenAndSaysOnceWhatDidNotMove) {
  const std::string text = repeats_text(sample());
  EXPECT_NE(text.find("\"peak_allocated_bytes\":5}"), std::string::npos) << text;
  write_file_atomically(file(), text);
  EXPECT_EQ(read_repeats(file()), sample());
}

TEST_F(RepeatsFile, RefusesWhatIsDamagedWithItsLine) {
  EXPECT_NE(refusal("noise/1", "noise/2").find(":1: schema is"), std::string::npos);
  EXPECT_NE(refusal("\"rounds\":3", "\"rounds\":1000000000000").find("a study has 2 to"),
            std::string::npos);
  EXPECT_NE(refusal("[0,1,0]", "[0,1,0,0]").find(":2: leak_bytes has 4 values"), std::string::npos);
  EXPECT_NE(refusal("[0,1,0]", "[]").find(":2: leak_bytes has 0 values"), std::string::npos);
  EXPECT_NE(refusal("leak_bytes", "mood").find(":2: unknown metric"), std::string::npos);
  EXPECT_NE(refusal("[0,1,0]", "[0,0.5,0]").find(":2: "), std::string::npos);
}

std::set<std::string> keys(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [key, value] : object.items()) names.insert(key);
  return names;
}

std::set<std::string> published_keys(const std::string& name) {
  const std::string folder = HIGHWATER_SOURCE_DIR "/results/schema/";
  return keys(nlohmann::json::parse(read_file(folder + name)).at("properties"));
}

TEST_F(RepeatsFile, HasExactlyTheKeysOfItsSchemas) {
  const std::string text = repeats_text(sample());
  const std::size_t end = text.find('\n');
  EXPECT_EQ(published_keys("noise-header.schema.json"),
            keys(nlohmann::json::parse(text.substr(0, end))));
  EXPECT_EQ(published_keys("noise-cell.schema.json"),
            keys(nlohmann::json::parse(text.substr(end + 1))));
}

TEST_F(RepeatsFile, AFolderWithoutAFinishedRoundIsAnError) {
  EXPECT_THROW(read_rounds(folder_.path()), UsageError);
}

}  // namespace
}  // namespace highwater
