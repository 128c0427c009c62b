#include <gtest/gtest.h>

#include "harness/workload/random_state.hpp"
#include "harness/workload/registry.hpp"
#include "harness/workload/transformer.hpp"

namespace highwater {
namespace {

at::Tensor logits(Model& model, const at::Tensor& ids) {
  const at::NoGradGuard no_grad;
  Tensors tensors = {ids};
  for (const Segment& segment : model.segments()) tensors = segment.run(tensors);
  return tensors.at(0).view({ids.size(0), ids.size(1), -1});
}

TEST(Llama, ATokenChangesNothingBeforeIt) {
  seed_generators(at::kCPU, 1);
  const auto model = make_model("llama-1b", {.preset = "twin"});
  at::Tensor ids = model->example_batch().inputs.at(0);
  const at::Tensor before = logits(*model, ids);
  ids.select(1, 20).fill_(3);
  const at::Tensor after = logits(*model, ids);
  EXPECT_TRUE(at::equal(before.narrow(1, 0, 20), after.narrow(1, 0, 20)));
  EXPECT_FALSE(at::equal(before.narrow(1, 20, 12), after.narrow(1, 20, 12)));
}

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
