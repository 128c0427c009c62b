#include "harness/record/row_patch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

/// Lines "00" to "29" without `gone`, each of `added` put in its sorted place.
std::string numbers(const std::vector<int>& gone, const std::vector<std::string>& added = {}) {
  std::set<std::string> lines(added.begin(), added.end());
  for (int i = 0; i < 30; ++i) {
    if (std::ranges::find(gone, i) == gone.end())
      lines.insert((i < 10 ? "0" : "") + std::to_string(i));
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(RowPatch, OfEqualTextsIsEmpty) { EXPECT_EQ(row_patch("a", "x\n", "x\n"), ""); }

TEST(RowPatch, ShowsThreeLinesAround) {
  EXPECT_EQ(
      row_patch("bed/x.jsonl", numbers({}), numbers({10}, {"10b"})),
      "--- a/bed/x.jsonl\n+++ b/bed/x.jsonl\n@@ -8,7 +8,7 @@\n 07\n 08\n 09\n-10\n+10b\n 11\n 12\n"
      " 13\n");
}

TEST(RowPatch, OfANewFileComesFromNowhere) {
  EXPECT_EQ(row_patch("f", "", "x\n"), "--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+x\n");
}

TEST(RowPatch, RefusesAPathThatItCannotName) {
  for (const char* path : {"a\nb", "a\"b", "a\\b"}) {
    EXPECT_THROW(row_patch(path, "x\n", "y\n"), UsageError);
  }
}

/// A file in a repository of its own that a patch is applied to.
class RowPatchApplied : public ::testing::Test {
 protected:
  void expect_applied(const std::string& path, const std::string& before,
                      const std::string& after) {
    const std::string patch = row_patch(path, before, after);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"/usr/bin/env", "git", "apply", "p"},
          {"/usr/bin/env", "patch", "-p1", "-i", "p"}}) {
      fs::remove(folder_.path() / path);
      if (!before.empty()) write_file_atomically(folder_.path() / path, before);
      write_file_atomically(folder_.path() / "p", patch);
      const auto result = testing_fakes::Program(command, folder_.path()).wait();
      EXPECT_EQ(result.status, 0) << command[1] << result.output << result.error << patch;
      EXPECT_EQ(read_file(folder_.path() / path), after) << command[1];
    }
  }

  testing_fakes::TemporaryFolder folder_;
};

TEST_F(RowPatchApplied, GivesTheNewFileByteForByte) {
  expect_applied("b/x.jsonl", numbers({}), numbers({10}, {"10b"}));
}

TEST_F(RowPatchApplied, AtBothEndsAndInSeveralPlaces) {
  expect_applied("b/x.jsonl", numbers({}),
                 numbers({0, 5, 6, 13, 20, 29}, {"00a", "131", "132", "99"}));
  expect_applied("b/x.jsonl", numbers({0, 29}), numbers({}));
  expect_applied("b/x.jsonl", "0\n1\n2\n", "0\n");
}

TEST_F(RowPatchApplied, ToAFileThatIsNotThere) { expect_applied("b/x.jsonl", "", "0\n1\n"); }

TEST_F(RowPatchApplied, ToAFileWhoseLastLineHasNoEnd) {
  expect_applied("b/x.jsonl", "0\n1\n2", "0\n1\n2\n");
}

TEST_F(RowPatchApplied, UnderANameWithBlanksAndForeignLetters) {
  expect_applied("b \xc3\xa4 c/x y.jsonl", numbers({}), numbers({3}));
}

}  // namespace
}  // namespace highwater
