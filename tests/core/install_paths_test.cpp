#include "harness/core/install_paths.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace highwater {
namespace {

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(InstallPaths, FollowThePrefix) {
  const Variable prefix("HIGHWATER_PREFIX", "/opt/hw");
  EXPECT_EQ(install_paths().cell_program, "/opt/hw/bin/highwater-cell");
  EXPECT_EQ(install_paths().suites, "/opt/hw/share/highwater/suites");
}

TEST(InstallPaths, AnotherCoreBringsItsCatalogue) {
  const Variable core("HIGHWATER_CORE", "/opt/other.so");
  EXPECT_EQ(install_paths().core_library, "/opt/other.so");
  EXPECT_EQ(install_paths().catalog, "/opt/other.so.catalog.json");
}

}  // namespace
}  // namespace highwater
