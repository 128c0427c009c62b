#include "harness/core/files.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

TEST(Files, AWriteCreatesFoldersAndReadsBackTheSameBytes) {
  const testing_fakes::TemporaryFolder folder;
  const auto path = folder.path() / "a" / "b";
  write_file_atomically(path, std::string("x\0y\n", 4));
  EXPECT_EQ(read_file(path), std::string("x\0y\n", 4));
}

TEST(Files, AWriteLeavesNothingBesideItsTarget) {
  const testing_fakes::TemporaryFolder folder;
  write_file_atomically(folder.path() / "a", "1");
  write_file_atomically(folder.path() / "a", "2");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// A folder in the target's place makes the rename fail after everything else went well.
TEST(Files, AFailedWriteLeavesTheOldTargetAndNoTemporaryFile) {
  const testing_fakes::TemporaryFolder folder;
  write_file_atomically(folder.path() / "a" / "old", "old");
  EXPECT_THROW(write_file_atomically(folder.path() / "a", "new"), UsageError);
  EXPECT_EQ(read_file(folder.path() / "a" / "old"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Files, AFailedReadNamesPathAndReason) {
  try {
    read_file("no/such/file");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot read no/such/file: No such file or directory");
  }
}

TEST(Files, AFolderIsNotReadAsAFile) {
  const testing_fakes::TemporaryFolder folder;
  EXPECT_THROW(read_file(folder.path()), UsageError);
}

TEST(Files, APlainNameCannotLeadOutOfItsFolder) {
  for (const char* name : {"default", "sim-h200-torch2.11.0+cu130", "a_b", "..."}) {
    EXPECT_TRUE(is_plain_name(name)) << name;
  }
  for (const char* name : {"", ".", "..", "../x", "a/b", "a b", "a:b", "\xc3\xa4", "a\n"}) {
    EXPECT_FALSE(is_plain_name(name)) << name;
  }
}

}  // namespace
}  // namespace highwater
