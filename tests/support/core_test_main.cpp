// Runs the tests in the environment that the program gives a cell on HIGHWATER_TEST_DEVICE (default
// cpu).

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/launch/device_environment.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* device = std::getenv("HIGHWATER_TEST_DEVICE");
  const highwater::Cell cell{.device = device == nullptr ? "cpu" : device};
  const highwater::InstallPaths paths = highwater::install_paths();
  for (const std::string& name : highwater::unset_variables(cell, paths)) unsetenv(name.c_str());
  for (const auto& [name, value] : highwater::cell_environment(cell, paths)) {
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
  return RUN_ALL_TESTS();
}
