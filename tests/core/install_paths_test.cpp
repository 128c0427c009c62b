#include "harness/core/install_paths.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/error.hpp"

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
  EXPECT_EQ(install_paths().scripts, "/opt/hw/share/highwater/scripts");
}

TEST(InstallPaths, NameThePluginsInTheirOrder) {
  const std::string file = std::filesystem::read_symlink("/proc/self/exe").string();
  const Variable plugins(kPluginsVariable, (file + "::/proc/self/exe").c_str());
  EXPECT_EQ(install_paths().plugins, (std::vector<std::filesystem::path>{file, "/proc/self/exe"}));
}

TEST(InstallPaths, APluginThatIsNoFileIsNamed) {
  const Variable plugins(kPluginsVariable, "/opt/libmine.so");
  try {
    install_paths();
    FAIL() << "accepted a plug-in that is not there";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("plug-in /opt/libmine.so is no file"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace highwater
