#include <gtest/gtest.h>

#include "harness/workload/random_state.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/transformer.hpp"
#include "tests/support/language_model.hpp"

namespace highwater {
namespace {

using testing_support::logits;

TEST(Llama, ATokenChangesNothingBeforeIt) { testing_support::expect_causal("llama-1b"); }

// Without positions a token that follows equal ones could not tell their order.
TEST(Llama, TellsTheOrderOfTokensApart) {
  seed_generators(at::kCPU, 1);
  const auto model = make_model("llama-1b", {.preset = "twin"});
  at::Tensor ids = at::full({1, 32}, 5, at::kLong);
  ids[0][0] = 1;
  ids[0][1] = 2;
  const at::Tensor one = logits(*model, ids).select(1, 31);
  ids[0][0] = 2;
  ids[0][1] = 1;
  EXPECT_FALSE(at::allclose(one, logits(*model, ids).select(1, 31)));
}

TEST(Attend, SharesAHeadOfKeysAndValuesAmongNeighbouringHeadsOfQueries) {
  seed_generators(at::kCPU, 1);
  const at::Tensor query = at::randn({2, 4, 8, 16});
  const at::Tensor key = at::randn({2, 2, 8, 16});
  const at::Tensor value = at::randn({2, 2, 8, 16});
  const at::Tensor all = attend(query, key, value, true).view({2, 8, 4, 16});
  const at::Tensor third =
      attend(query.narrow(1, 2, 1), key.narrow(1, 1, 1), value.narrow(1, 1, 1), true);
  EXPECT_TRUE(at::allclose(all.select(2, 2), third));
}

}  // namespace
}  // namespace highwater
