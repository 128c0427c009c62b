#include "harness/core/shell_word.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

TEST(ShellWord, PlainTextStaysAsItIs) {
  EXPECT_EQ(shell_word("results/runs/20260131-120000"), "results/runs/20260131-120000");
}

TEST(ShellWord, AllElseIsQuoted) {
  EXPECT_EQ(shell_word("größe dir"), "'größe dir'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$(a)'b"), "'$(a)'\\''b'");
}

}  // namespace
}  // namespace highwater
