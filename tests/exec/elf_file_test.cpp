#include "harness/exec/elf_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

struct ElfHeader {
  unsigned char bits = ELFCLASS64;
  Elf64_Half machine = EM_X86_64;
  std::string interpreter = "/lib64/ld-linux-x86-64.so.2";
};

/// The start of a program: header, one segment that names the interpreter, its name.
std::string elf_bytes(const ElfHeader& wanted) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = wanted.bits;
  header.e_machine = wanted.machine;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = wanted.interpreter.empty() ? 0 : 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = wanted.interpreter.size() + 1;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  return bytes + wanted.interpreter + '\0';
}

class ElfFiles : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& bytes) const {
    write_file_atomically(folder_.path() / "program", bytes);
    return folder_.path() / "program";
  }

  std::string refusal(const ElfHeader& header) const {
    const auto path = write(elf_bytes(header));
    try {
      check_takes_libraries(*read_elf(path), path);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  }

 private:
  testing_fakes::TemporaryFolder folder_;
};

TEST_F(ElfFiles, AProgramOfThisMachineNamesItsLoader) {
  const auto file = read_elf(write(elf_bytes({})));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->interpreter, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(refusal({}), "");
}

TEST_F(ElfFiles, TheTestProgramItselfIsOne) {
  const auto file = read_elf("/proc/self/exe");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_64_bit);
  EXPECT_EQ(file->machine, EM_X86_64);
  EXPECT_TRUE(std::filesystem::exists(file->interpreter));
}

TEST_F(ElfFiles, AnotherProcessorIsNamedInTheRefusal) {
  EXPECT_NE(refusal({.machine = EM_AARCH64}).find("a program for ARM (64 bits)"),
            std::string::npos);
  EXPECT_NE(refusal({.bits = ELFCLASS32, .machine = EM_386}).find("a program for x86 (32 bits)"),
            std::string::npos);
  EXPECT_NE(refusal({.bits = ELFCLASS32, .machine = EM_ARM}).find("ARM (32 bits)"),
            std::string::npos);
  EXPECT_NE(refusal({.machine = 4711}).find("processor type 4711"), std::string::npos);
}

TEST_F(ElfFiles, AStaticProgramIsRefused) {
  EXPECT_NE(refusal({.interpreter = ""}).find("is linked statically"), std::string::npos);
}

TEST_F(ElfFiles, WhatIsNoWholeElfFileIsNone) {
  EXPECT_FALSE(read_elf(write("#!/bin/sh\n")));
  EXPECT_FALSE(read_elf(write("")));
  EXPECT_FALSE(read_elf(write(elf_bytes({}).substr(0, 55))));
  EXPECT_THROW(read_elf("no/such/file"), UsageError);
}

TEST_F(ElfFiles, PlacesOutsideTheFileAreNotFollowed) {
  std::string bytes = elf_bytes({});
  Elf64_Off far = ~Elf64_Off{0} - 8;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_phoff), &far, sizeof far);
  EXPECT_EQ(read_elf(write(bytes))->interpreter, "");
  bytes = elf_bytes({});
  std::memcpy(bytes.data() + sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_offset), &far, sizeof far);
  EXPECT_EQ(read_elf(write(bytes))->interpreter, "");
}

}  // namespace
}  // namespace highwater
