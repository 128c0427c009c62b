#include "simgpu/device/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

/// Starts every test from an environment without our variables.
class ConfigFromEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"SIMGPU_PROFILE", "SIMGPU_DEVICES", "SIMGPU_CAPACITY_BYTES", "SIMGPU_ADDRESS_ORDER",
          "SIMGPU_ADDRESSES", "SIMGPU_READS", "SIMGPU_UNKNOWN_SIZES", "SIMGPU_CUDNN_DIR"})
      unsetenv(name);
  }

  static std::string complaint_about(const char* name, const char* value) {
    setenv(name, value, 1);
    try {
      read_config();
      return "no complaint";
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
};

TEST_F(ConfigFromEnvironment, HasOneDeviceAndFallingAddressesByDefault) {
  const Config config = read_config();
  EXPECT_EQ(config.device_count, 1);
  EXPECT_EQ(config.address_order, AddressOrder::falling);
  EXPECT_FALSE(config.capacity_bytes);
}

TEST_F(ConfigFromEnvironment, ReadsEveryVariable) {
  setenv("SIMGPU_PROFILE", "some.json", 1);
  setenv("SIMGPU_DEVICES", "8", 1);
  setenv("SIMGPU_CAPACITY_BYTES", "60000000000", 1);
  setenv("SIMGPU_ADDRESS_ORDER", "random:42", 1);
  setenv("SIMGPU_ADDRESSES", "addresses.txt", 1);
  setenv("SIMGPU_UNKNOWN_SIZES", "high", 1);
  setenv("SIMGPU_CUDNN_DIR", "cudnn/lib", 1);
  const Config config = read_config();
  EXPECT_EQ(config.profile_path, "some.json");
  EXPECT_EQ(config.device_count, 8);
  EXPECT_EQ(config.capacity_bytes, 60'000'000'000);
  EXPECT_EQ(config.address_order, AddressOrder::random);
  EXPECT_EQ(config.address_seed, 42u);
  EXPECT_EQ(config.address_list_path, "addresses.txt");
  EXPECT_EQ(config.unknown_sizes, UnknownSizes::high);
  EXPECT_EQ(config.cudnn_folder, "cudnn/lib");
}

TEST_F(ConfigFromEnvironment, RefusesAnEndThatIsNeitherLowNorHigh) {
  EXPECT_EQ(complaint_about("SIMGPU_UNKNOWN_SIZES", "middle"),
            "the environment variable SIMGPU_UNKNOWN_SIZES is 'middle' but must be low or high.");
}

TEST_F(ConfigFromEnvironment, TakesAnyOtherAnswerToReadsForAFile) {
  EXPECT_EQ(read_config().read_answer, ReadAnswer::zeros);
  setenv("SIMGPU_READS", "ones", 1);
  EXPECT_EQ(read_config().read_answer, ReadAnswer::ones);
  setenv("SIMGPU_READS", "some/file", 1);
  EXPECT_EQ(read_config().read_answer, ReadAnswer::script);
  EXPECT_EQ(read_config().answers_path, "some/file");
}

TEST_F(ConfigFromEnvironment, RefusesAnUnknownOrderByName) {
  EXPECT_EQ(complaint_about("SIMGPU_ADDRESS_ORDER", "sideways"),
            "the environment variable SIMGPU_ADDRESS_ORDER is 'sideways' but must be falling, "
            "rising or random:SEED (SEED a whole number).");
}

TEST_F(ConfigFromEnvironment, RefusesARandomOrderWithoutASeed) {
  EXPECT_NE(complaint_about("SIMGPU_ADDRESS_ORDER", "random:"), "no complaint");
  EXPECT_NE(complaint_about("SIMGPU_ADDRESS_ORDER", "random"), "no complaint");
}

TEST_F(ConfigFromEnvironment, RefusesDeviceCountsThatAreNoCount) {
  for (const char* value : {"-1", "65", "two", "1.5", "1 "})
    EXPECT_NE(complaint_about("SIMGPU_DEVICES", value).find("from 0 to 64"), std::string::npos);
}

TEST_F(ConfigFromEnvironment, RefusesACapacityWithAUnit) {
  EXPECT_NE(complaint_about("SIMGPU_CAPACITY_BYTES", "60GB").find("'60GB'"), std::string::npos);
}

}  // namespace
}  // namespace simgpu
