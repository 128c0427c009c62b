#include "harness/exec/program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/exec/standins.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

class ExecProgram : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text, int mode = 0755) {
    const auto path = folder_.path() / name;
    write_file_atomically(path, text);
    ::chmod(path.c_str(), static_cast<mode_t>(mode));
    return path;
  }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  testing_fakes::TemporaryFolder folder_;
};

TEST_F(ExecProgram, InterpretersAreKnownByName) {
  for (const char* name : {"python", "python3", "python3.12", "python3.13t"})
    EXPECT_TRUE(is_python_name(name)) << name;
  for (const char* name : {"ipython", "python3-config", "pythonw.exe", "bash", ""})
    EXPECT_FALSE(is_python_name(name)) << name;
}

TEST_F(ExecProgram, AScriptNamesItsInterpreter) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(interpreter_words(write("a", "#!/venv/bin/python3 -I\nx")),
            (Words{"/venv/bin/python3", "-I"}));
  EXPECT_EQ(interpreter_words(write("b", "#!/usr/bin/env -S python3 -u\n")),
            (Words{"python3", "-u"}));
  EXPECT_EQ(interpreter_words(write("c", "#! /bin/sh")), (Words{"/bin/sh"}));
  EXPECT_EQ(interpreter_words(write("d", "no script")), Words{});
  EXPECT_EQ(interpreter_words(write("e", "#!\n")), Words{});
}

TEST_F(ExecProgram, NamesAreLookedUpOnPathAndPathsTakenAsTheyAre) {
  write("plain", "x", 0644);
  const auto program = write("bin/tool", "#!/bin/sh\n");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ("/no/such:" + program.parent_path().string()).c_str(), 1);
  EXPECT_EQ(find_program("tool"), program);
  EXPECT_EQ(find_program(program.string()), program);
  EXPECT_THROW(find_program("plain"), UsageError);
  EXPECT_THROW(find_program((folder() / "plain").string()), UsageError);
  EXPECT_THROW(find_program(folder().string()), UsageError);
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(ExecProgram, PythonIsAskedWithTheFlagsThatChangeWhereItLooks) {
  const auto python = write("python3", "#!/bin/sh\necho noise\necho \"highwater-torch:/t/$1$2\"\n");
  const std::vector<std::string> words = {python.string(), "-u", "-I", "-m", "train", "-E"};
  EXPECT_EQ(find_torch(python, words), "/t/-I-c");
}

TEST_F(ExecProgram, AScriptAsksItsOwnInterpreter) {
  const auto python = write("python3", "#!/bin/sh\necho highwater-torch:/t/of-the-venv\n");
  const auto torchrun = write("torchrun", "#!" + python.string() + "\nimport torch\n");
  EXPECT_EQ(find_torch(torchrun, {torchrun.string()}), "/t/of-the-venv");
}

TEST_F(ExecProgram, StandinsComeBeforeWhatThePersonPreloads) {
  write("sonames.txt", "libcuda.so.1\nlibcudart.so.13\n");
  const std::string first = (folder() / "libcuda.so.1").string();
  const std::string second = (folder() / "libcudart.so.13").string();
  EXPECT_EQ(preload_list(folder(), ""), first + ":" + second);
  EXPECT_EQ(preload_list(folder(), "mine.so"), first + ":" + second + ":mine.so");
}

TEST_F(ExecProgram, AFolderThatPreloadingCannotNameIsRefused) {
  write("my cache/sonames.txt", "libcuda.so.1\n");
  EXPECT_THROW(preload_list(folder() / "my cache", ""), UsageError);
}

}  // namespace
}  // namespace highwater
