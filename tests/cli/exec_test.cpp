#include <elf.h>
#include <sys/stat.h>

#include <cstring>

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

/// An installation whose builder of stand-ins is a script that names an empty folder, and a Python
/// that is a script which claims to have torch.
class CliExec : public testing_fakes::FakeInstallation {
 protected:
  CliExec() {
    write_file_atomically(paths().profiles / "h200.json", R"({"context_bytes": 1073741824})");
    write_file_atomically(file("standins/sonames.txt"), "");
    write_file_atomically(paths().simgpu / "build_standins.py",
                          "print('" + file("standins").string() + "')\n");
    add_library("torch/lib/libtorch_cuda.so");
    add_library("torch/lib/libc10_cuda.so");
    add_python("python", file("torch"));
  }

  void add_library(const std::string& name) const { write_file_atomically(file(name), ""); }

  void add_program(const std::string& name, const std::string& content) const {
    write_file_atomically(file(name), content);
    ::chmod(file(name).c_str(), 0755);
  }

  // Answers the question for torch; otherwise does what its first argument says.
  void add_python(const std::string& name, const fs::path& torch) const {
    add_program(name,
                "#!/bin/sh\nif [ \"$1\" = -c ]; then echo 'a start-up message'; echo "
                "highwater-torch:" +
                    torch.string() + "; else eval \"$1\"; fi\n");
  }

  void add_elf(const std::string& name, unsigned char bits, Elf64_Half machine) const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = bits;
    header.e_machine = machine;
    add_program(name, std::string(reinterpret_cast<const char*>(&header), sizeof header));
  }

  testing_fakes::ProgramResult exec(std::vector<std::string> words,
                                    const std::map<std::string, std::string>& environment = {}) {
    words.insert(words.begin(), {"exec", "--device", "sim:h200"});
    return highwater(words, environment);
  }

  std::string path(const std::string& name) const { return file(name).string(); }
};

TEST_F(CliExec, WhatCannotRunIsOneSentenceAndStatus2) {
  add_elf("static", ELFCLASS64, EM_X86_64);
  add_elf("arm", ELFCLASS64, EM_AARCH64);
  add_elf("narrow", ELFCLASS32, EM_386);
  add_program("words", "just words\n");
  add_python("bare/python3", "");
  add_library("cpu/lib/libtorch_cpu.so");
  add_python("cpu/python3", file("cpu"));
  add_library("rocm/lib/libtorch_hip.so");
  add_python("rocm/python3", file("rocm"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{}, "say what to run"},
      {{"--", "no-such-program"}, "there is no program \"no-such-program\" on PATH"},
      {{"--", "./no-such-program"}, "is no file that may be executed"},
      {{"--", path("static")}, "is linked statically"},
      {{"--", path("arm")}, "a program for ARM (64 bits)"},
      {{"--", path("narrow")}, "a program for x86 (32 bits)"},
      {{"--", path("words")}, "neither a program nor a script"},
      {{"--", HIGHWATER_FAKE_CELL}, "is not linked to the shared libraries of torch"},
      {{"--", path("bare/python3"), "x.py"}, "finds no torch"},
      {{"--", path("cpu/python3"), "x.py"}, "is built for the CPU only"},
      {{"--", path("rocm/python3"), "x.py"}, "is built for AMD's ROCm"},
      {{"--torch", path("bare"), "--", path("python")}, "is no torch folder"},
      {{"--capacity", "1GiB", "--", path("python"), "exit"}, "--capacity 1GiB leaves nothing"},
      {{"--report", path("torch"), "--", path("python"), "exit"}, "cannot write"},
      {{"--unknown-sizes", "middle", "--", path("python"), "exit"}, "--unknown-sizes"},
      {{"--orderr", "rising", "--", path("python")}, "did you mean \"--order\"?"},
      {{path("python"), "exit"}, "unexpected argument"},
  };
  for (const auto& [words, sentence] : mistakes) {
    const auto result = exec(words);
    EXPECT_EQ(result.status, 2) << sentence << "\n" << result.error;
    EXPECT_NE(result.error.find(sentence), std::string::npos) << result.error;
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(CliExec, AnUnknownDeviceNamesTheNearest) {
  const auto result = highwater({"exec", "--device", "sim:h20", "--", path("python"), "exit"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.error.find("did you mean \"sim:h200\"?"), std::string::npos) << result.error;
}

TEST_F(CliExec, TheStatusOfTheProgramIsOurs) {
  EXPECT_EQ(exec({"--", path("python"), "exit 0"}).status, 0);
  EXPECT_EQ(exec({"--", path("python"), "exit 3"}).status, 3);
  EXPECT_EQ(exec({"--", path("python"), "kill -KILL $$"}).status, 128 + 9);
}

TEST_F(CliExec, WordsReachTheProgramAsTheyAre) {
  const std::vector<std::string> words = {
      "--", path("python"), "shift; printf '<%s>' \"$@\"", "", "[a,b]", "--device", "a b", "--"};
  EXPECT_EQ(exec(words).output, "<><[a,b]><--device><a b><-->");
}

TEST_F(CliExec, TheProgramGetsTheSettingsAndNobodyElsesOnes) {
  const auto result = exec(
      {"--capacity", "2GiB", "--", path("python"),
       "echo \"$SIMGPU_CAPACITY_BYTES/$SIMGPU_READS/$SIMGPU_DEVICES/${SIMGPU_SESSION:+there}\""},
      {{"SIMGPU_READS", "ones"}, {"SIMGPU_DEVICES", "7"}});
  EXPECT_EQ(result.output, "2147483648//1/there\n");
}

TEST_F(CliExec, AProgramThatNeverUsedTheDeviceIsToldApart) {
  const auto result = exec({"--report", path("report.json"), "--", path("python"), "exit 0"});
  EXPECT_NE(result.error.find("no process of it used the device"), std::string::npos);
  EXPECT_NE(read_file(path("report.json")).find("\"processes\": []"), std::string::npos);
}

TEST_F(CliExec, BothEndsOfUnknownSizesAreTwoRuns) {
  const auto result = exec({"--unknown-sizes", "both", "--", path("python"),
                            "printf '%s ' $SIMGPU_UNKNOWN_SIZES; exit 4"});
  EXPECT_EQ(result.output, "low high ");
  EXPECT_EQ(result.status, 4);
}

TEST_F(CliExec, ASignalIsPassedOn) {
  write_file_atomically(file("started"), "");
  const auto program =
      start(HIGHWATER_PROGRAM, {"exec", "--device", "sim:h200", "--", path("python"),
                                "trap 'exit 5' TERM; rm started; while :; do sleep 0.05; done"});
  // Half a minute: a program that did not start would leave the file for ever.
  for (int i = 0; i < 3000 && fs::exists(file("started")); ++i) ::usleep(10000);
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait().status, 5);
}

TEST_F(CliExec, AFailedBuildOfStandinsIsSaid) {
  write_file_atomically(paths().simgpu / "build_standins.py",
                        "import sys\nsys.exit('no compiler')\n");
  const auto result = exec({"--", path("python"), "exit 0"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.error.find("no compiler"), std::string::npos);
  EXPECT_NE(result.error.find("the program was not started"), std::string::npos);
}

TEST_F(CliExec, ABudgetThatNothingWasHeldAgainstIsNoSuccess) {
  const auto idle = exec({"--budget", "1GiB", "--", path("python"), "exit 0"});
  EXPECT_EQ(idle.status, 6);
  EXPECT_NE(
      idle.error.find("budget of 1.00 GiB (1,073,741,824 bytes): not judged, no process used"),
      std::string::npos)
      << idle.error;
  const auto failed = exec({"--budget", "1GiB", "--", path("python"), "exit 4"});
  EXPECT_EQ(failed.status, 4) << "the program's own status says more";
}

TEST_F(CliExec, ABudgetThatCannotBeReadStopsBeforeTheProgramRuns) {
  const auto result = exec({"--budget", "10GB", "--", path("python"), "echo ran"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "");
}

}  // namespace
}  // namespace highwater
