#include "harness/config/budget_file.hpp"

#include <gtest/gtest.h>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

using namespace literals;

std::string error_on(const std::string& text) {
  try {
    parse_budgets(text, "b.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

bool begins(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

TEST(Budgets, AreReadInFileOrderWithTheirLines) {
  const BudgetFile read = parse_budgets(
      "suite = \"smoke\"\n[budget]\n\"z/*\" = \"11.5GiB\"\n\n\"a/full/*\" = \"4096\"\n", "b.toml");
  EXPECT_EQ(read.suite, "smoke");
  ASSERT_EQ(read.budgets.size(), 2U);
  EXPECT_EQ(read.budgets[0].glob, "z/*");
  EXPECT_EQ(read.budgets[0].line, 3U);
  EXPECT_EQ(read.budgets[0].file, "b.toml");
  EXPECT_EQ(read.budgets[0].bytes, 11_GiB + 512_MiB);
  EXPECT_EQ(read.budgets[1].line, 5U);
  EXPECT_EQ(read.budgets[1].bytes, 4096);
}

TEST(Budgets, ASizeThatCannotBeReadIsRefusedWithItsLine) {
  EXPECT_TRUE(begins(error_on("[budget]\n\"a/*\" = \"11GB\"\n"),
                     "b.toml:2: budget.\"a/*\": cannot read \"11GB\" as a size"));
  EXPECT_EQ(error_on("[budget]\n\"a/*\" = 11\n"),
            "b.toml:2: budget.\"a/*\": must be a text that is not empty");
  EXPECT_EQ(error_on("[budget]\n\"a/*\" = \"0\"\n"),
            "b.toml:2: budget.\"a/*\": must be at least one byte");
}

TEST(Budgets, AnUnknownKeyIsRefusedWithItsLineAndTheNearest) {
  EXPECT_EQ(error_on("\n[budgets]\n\"a/*\" = \"1GiB\"\n"),
            "b.toml:2: budgets: unknown key \"budgets\"; did you mean \"budget\"?");
}

TEST(Budgets, AGlobThatStandsTwiceIsRefusedWithItsLine) {
  EXPECT_TRUE(begins(error_on("[budget]\n\"a\" = \"1GiB\"\n\"a\" = \"2GiB\"\n"), "b.toml:3: "));
}

TEST(Budgets, WhatIsNoTomlIsRefusedWithItsLine) {
  EXPECT_TRUE(begins(error_on("[budget]\ngpt2/* = \"1GiB\"\n"), "b.toml:2: "));
  EXPECT_EQ(error_on("budget = 1\n"), "b.toml:1: budget: must be a table of \"glob\" = \"size\"");
}

TEST(Budgets, AFileThatHoldsNothingIsRefused) {
  for (const char* text : {"", "[budget]\n", "suite = \"default\"\n"}) {
    EXPECT_TRUE(begins(error_on(text), "b.toml:1: holds no budget")) << text;
  }
}

}  // namespace
}  // namespace highwater
