#include "harness/core/nearest.hpp"

#include <gtest/gtest.h>

namespace highwater {
namespace {

const std::vector<std::string> kModels = {"bert-large", "gpt2-small", "mlp", "resnet50"};

TEST(Nearest, FindsATypo) {
  EXPECT_EQ(nearest("gpt2-smal", kModels), std::vector<std::string>{"gpt2-small"});
}

TEST(Nearest, FindsAPartOfAName) {
  EXPECT_EQ(nearest("bert", kModels), std::vector<std::string>{"bert-large"});
}

TEST(Nearest, PutsTheBestFirstAndStopsAtThree) {
  const auto found = nearest("aaaa", {"aaab", "aaaa", "aabb", "baaa", "bbbb"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.front(), "aaaa");
}

TEST(Nearest, SentenceNamesTheGuess) {
  EXPECT_EQ(unknown_name("model", "gpt2-smal", kModels),
            "unknown model \"gpt2-smal\"; did you mean \"gpt2-small\"?");
}

TEST(Nearest, SentenceListsAllWhereNothingIsNear) {
  EXPECT_EQ(unknown_name("model", "zzzzzz", {"mlp", "bert"}),
            "unknown model \"zzzzzz\"; valid: \"mlp\", \"bert\"");
}

}  // namespace
}  // namespace highwater
