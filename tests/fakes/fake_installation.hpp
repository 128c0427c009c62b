#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/install_paths.hpp"
#include "harness/matrix/catalog.hpp"
#include "tests/fakes/program.hpp"

namespace highwater::testing_fakes {

/// Models of fake_cell.cpp, techniques that clash and do not, as the core library would export
/// them.
Catalog fake_catalog();

/// A fresh folder for one test, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A folder of the shape of an installation whose cells are played by fake_cell.cpp.
class FakeInstallation : public ::testing::Test {
 protected:
  FakeInstallation();

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path file(const std::string& name) const { return folder() / name; }
  InstallPaths paths() const;

  /// Adds share/highwater/suites/<name>.toml: these models, techniques baseline and save.
  void add_suite(const std::string& name, const std::vector<std::string>& models,
                 const std::string& devices = "\"sim:h200\"") const;

  /// Runs bin/highwater in the folder.
  ProgramResult highwater(const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment = {}) const;
  Program start(const std::string& program, const std::vector<std::string>& arguments,
                std::map<std::string, std::string> environment = {}) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace highwater::testing_fakes
