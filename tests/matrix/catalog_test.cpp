#include "harness/matrix/catalog.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

TEST(Catalog, RoundTripsThroughItsFile) {
  const testing_fakes::TemporaryFolder folder;
  const std::string path = (folder.path() / "catalog.json").string();
  const nlohmann::json written = testing_fakes::fake_catalog();
  write_file_atomically(path, written.dump());
  EXPECT_EQ(nlohmann::json(read_catalog(path)), written);
}

TEST(Catalog, AMissingOrMalformedFileSaysHowToMakeOne) {
  const testing_fakes::TemporaryFolder folder;
  const std::string path = (folder.path() / "catalog.json").string();
  for (int i = 0; i < 2; ++i) {
    try {
      read_catalog(path);
      FAIL();
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("build the project"), std::string::npos);
    }
    write_file_atomically(path, "{\"models\": 3}");
  }
}

}  // namespace
}  // namespace highwater
