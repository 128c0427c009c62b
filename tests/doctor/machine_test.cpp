#include "harness/doctor/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

/// Puts a variable back as it was: later tests of the program look for programs on PATH.
class KeptVariable {
 public:
  explicit KeptVariable(const char* name) : name_(name), value_(environment_value(name)) {}
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;
  ~KeptVariable() { value_ ? setenv(name_, value_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> value_;
};

class Machines : public testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& text = "") const {
    const fs::path path = folder_.path() / name;
    write_file_atomically(path, text);
    return path;
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  testing_fakes::TemporaryFolder folder_;
  KeptVariable path_{"PATH"}, home_{"HOME"}, base_{"XDG_CACHE_HOME"}, cache_{"HIGHWATER_CACHE"};
};

TEST_F(Machines, TheCacheIsWhereTheScriptsPutIt) {
  setenv("XDG_CACHE_HOME", "/base", 1);
  unsetenv("HIGHWATER_CACHE");
  EXPECT_EQ(cache_folder(), "/base/highwater");
  setenv("HIGHWATER_CACHE", "/given", 1);
  EXPECT_EQ(cache_folder(), "/given");
  unsetenv("HIGHWATER_CACHE");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/users/me", 1);
  EXPECT_EQ(cache_folder(), "/users/me/.cache/highwater");
}

TEST_F(Machines, AProgramOnPathIsAnExecutableFile) {
  const fs::path program = file("bin/tool");
  fs::create_directories(folder() / "first/tool");
  setenv("PATH", (folder() / "first").string().append(":" + (folder() / "bin").string()).c_str(),
         1);
  EXPECT_EQ(program_on_path("tool"), std::nullopt);  // not executable yet
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_EQ(program_on_path("tool"), program);
  EXPECT_EQ(program_on_path("other"), std::nullopt);
}

TEST_F(Machines, TheNewestWholeFolderOfTheCacheIsTaken) {
  file("tool-1.0/bin/tool");
  file("tool-1.2/bin/tool");
  file("tool-1.3/half");
  file("other-2/bin/tool");
  EXPECT_EQ(cached(folder(), "tool-", "bin/tool"), folder() / "tool-1.2");
  EXPECT_EQ(cached(folder(), "tool-", "bin/none"), std::nullopt);
  EXPECT_EQ(cached(folder() / "missing", "tool-", "x"), std::nullopt);
}

TEST_F(Machines, AFolderIsAsLargeAsItsFiles) {
  file("a/b", std::string(1000, 'x'));
  file("c", std::string(24, 'x'));
  fs::create_symlink(folder() / "c", folder() / "a/link");
  EXPECT_EQ(folder_bytes(folder()), 1024);
  EXPECT_EQ(folder_bytes(folder() / "missing"), 0);
}

}  // namespace
}  // namespace highwater
