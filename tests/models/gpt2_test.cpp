#include <gtest/gtest.h>

#include "harness/workload/registry.hpp"
#include "tests/support/language_model.hpp"

namespace highwater {
namespace {

TEST(Gpt2, ATokenChangesNothingBeforeIt) { testing_support::expect_causal("gpt2-small"); }

TEST(Gpt2, TiesItsHeadToItsEmbedding) {
  const auto model = make_model("gpt2-small", {.preset = "twin"});
  for (const auto& parameter : model->named_parameters()) {
    EXPECT_EQ(parameter.key().find("head"), std::string::npos) << parameter.key();
  }
}

}  // namespace
}  // namespace highwater
