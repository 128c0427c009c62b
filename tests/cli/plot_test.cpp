#include <filesystem>

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

class CliPlot : public testing_fakes::FakeInstallation {
 protected:
  CliPlot() {
    write_file_atomically(paths().scripts / "plot.py", "");
    write_program("python", "printf '<%s>' \"${@:2}\"; exit 3");
  }

  void write_program(const std::string& name, const std::string& body) const {
    write_file_atomically(file(name), "#!/bin/bash\n" + body + "\n");
    fs::permissions(file(name), fs::perms::owner_all);
  }
};

TEST_F(CliPlot, EveryWordAndTheExitStatusGoThrough) {
  const auto result = highwater({"plot", "--help", "a b", "", "--", "[c,d]"},
                                {{"HIGHWATER_PYTHON", file("python").string()}});
  const std::string script = (paths().scripts / "plot.py").string();
  EXPECT_EQ(result.output, "<" + script + "><--help><a b><><--><[c,d]>");
  EXPECT_EQ(result.status, 3);
}

TEST_F(CliPlot, FindsThePythonOfTheSetUp) {
  write_program("cache/python-matplotlib-1/bin/python", "echo found");
  const auto result =
      highwater({"plot"}, {{"HIGHWATER_PYTHON", ""}, {"HIGHWATER_CACHE", file("cache").string()}});
  EXPECT_EQ(result.output, "found\n") << result.error;
}

TEST_F(CliPlot, WithoutAnyPythonItSaysWhatToDo) {
  const auto result = highwater({"plot"}, {{"HIGHWATER_PYTHON", ""},
                                           {"HIGHWATER_CACHE", file("cache").string()},
                                           {"PATH", file("nowhere").string()}});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.error.find("run scripts/setup.sh, or set HIGHWATER_PYTHON"), std::string::npos)
      << result.error;
}

TEST_F(CliPlot, AnInstallationWithoutScriptsIsNamed) {
  fs::remove_all(paths().scripts);
  const auto result = highwater({"plot"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.error.find("plot.py is not there"), std::string::npos) << result.error;
}

}  // namespace
}  // namespace highwater
