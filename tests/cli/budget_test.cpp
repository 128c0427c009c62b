// highwater gate --budgets, and budgets.toml beside the baselines.

#include "harness/core/files.hpp"
#include "tests/fakes/fake_installation.hpp"
#include "tests/support/says.hpp"

namespace highwater {
namespace {

class CliBudget : public testing_fakes::FakeInstallation {
 protected:
  CliBudget() {
    highwater({"run"});
    highwater({"baseline", "accept", "--reason", "first"});
  }
  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(file(name), text);
  }
  const std::string beside_ = "results/baselines/budgets.toml";
};

TEST_F(CliBudget, ARunWithinItsBudgetsIsGreen) {
  write("b.toml", "[budget]\n\"steady/*\" = \"100MiB\"\n\"steady/full/save/*\" = \"60MiB\"\n");
  EXPECT_EQ(highwater({"gate", "--budgets", "b.toml"}).status, 0);
}

TEST_F(CliBudget, OverABudgetIsRedWithFileAndLine) {
  write("b.toml", "[budget]\n\"*/save/*\" = \"59MiB\"\n");
  const auto result = highwater({"gate", "--budgets", "b.toml"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says(result.output, "unchanged    steady/full/baseline/sim:h200\n"));
  EXPECT_TRUE(says(result.output,
                   "regressed    steady/full/save/sim:h200: over budget: b.toml:2 allows 59.0 MiB"))
      << result.output;
}

TEST_F(CliBudget, TheFileBesideTheBaselinesIsTheDefaultOfGateRunAndReport) {
  write(beside_, "[budget]\n\"*/save/*\" = \"59MiB\"\n");
  EXPECT_EQ(highwater({"gate"}).status, 3);
  EXPECT_TRUE(says(highwater({"report", "--format", "markdown"}).output, "over budget"));
  const auto result = highwater({"run"});
  EXPECT_EQ(result.status, 3);
  EXPECT_TRUE(says(result.output, "over budget")) << result.output;
}

TEST_F(CliBudget, AFileOfAnotherSuiteIsPassedOverUnlessItWasAskedFor) {
  write(beside_, "suite = \"smoke\"\n[budget]\n\"*\" = \"1MiB\"\n");
  EXPECT_EQ(highwater({"gate"}).status, 0);
  const auto result = highwater({"gate", "--budgets", beside_});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error, "holds budgets of suite smoke")) << result.error;
}

TEST_F(CliBudget, AGlobThatMatchesNothingIsAMistakeUnlessTheRunWasNarrowed) {
  write(beside_, "[budget]\n\"*\" = \"1GiB\"\n\"stedy/*\" = \"1GiB\"\n");
  const auto result = highwater({"gate"});
  EXPECT_EQ(result.status, 2);
  EXPECT_TRUE(says(result.error,
                   "budgets.toml:3: budget \"stedy/*\" matches no cell of the suite; "
                   "did you mean \"steady\"?"))
      << result.error;
  EXPECT_EQ(highwater({"run"}).status, 2);
  EXPECT_NE(highwater({"run", "--technique", "baseline"}).status, 2);
  EXPECT_EQ(highwater({"gate"}).status, 0);
}

TEST_F(CliBudget, AFileThatIsNotThereIsAMistakeOfWhoeverAsks) {
  EXPECT_EQ(highwater({"gate", "--budgets", "none.toml"}).status, 2);
}

}  // namespace
}  // namespace highwater
