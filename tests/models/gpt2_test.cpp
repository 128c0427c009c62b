#include <gtest/gtest.h>

#include "harness/workload/random_state.hpp"
#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

at::Tensor logits(Model& model, const at::Tensor& ids) {
  const at::NoGradGuard no_grad;
  Tensors tensors = {ids};
  for (const Segment& segment : model.segments()) tensors = segment.run(tensors);
  return tensors.at(0).view({ids.size(0), ids.size(1), -1});
}

TEST(Gpt2, ATokenChangesNothingBeforeIt) {
  seed_generators(at::kCPU, 1);
  const auto model = make_model("gpt2-small", {.preset = "twin"});
  at::Tensor ids = model->example_batch().inputs.at(0);
  const at::Tensor before = logits(*model, ids);
  ids.select(1, 20).fill_(3);
  const at::Tensor after = logits(*model, ids);
  EXPECT_TRUE(at::equal(before.narrow(1, 0, 20), after.narrow(1, 0, 20)));
  EXPECT_FALSE(at::equal(before.narrow(1, 20, 12), after.narrow(1, 20, 12)));
}

TEST(Gpt2, TiesItsHeadToItsEmbedding) {
  const auto model = make_model("gpt2-small", {.preset = "twin"});
  for (const auto& parameter : model->named_parameters()) {
    EXPECT_EQ(parameter.key().find("head"), std::string::npos) << parameter.key();
  }
}

}  // namespace
}  // namespace highwater
