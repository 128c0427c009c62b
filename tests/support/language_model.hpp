#pragma once

#include <gtest/gtest.h>

#include <string>

#include "harness/workload/random_state.hpp"
#include "harness/workload/registry.hpp"

namespace highwater::testing_support {

/// ids: int64 [batch, tokens] -> [batch, tokens, vocabulary], without a graph.
inline at::Tensor logits(Model& model, const at::Tensor& ids) {
  const at::NoGradGuard no_grad;
  Tensors tensors = {ids};
  for (const Segment& segment : model.segments()) tensors = segment.run(tensors);
  return tensors.at(0).view({ids.size(0), ids.size(1), -1});
}

/// Changes token 20 of 32 and expects other logits from there on, and the same ones before.
inline void expect_causal(const std::string& name) {
  seed_generators(at::kCPU, 1);
  const auto model = make_model(name, {.preset = "twin"});
  at::Tensor ids = model->example_batch().inputs.at(0);
  const at::Tensor before = logits(*model, ids);
  ids.select(1, 20).fill_(3);
  const at::Tensor after = logits(*model, ids);
  EXPECT_TRUE(at::equal(before.narrow(1, 0, 20), after.narrow(1, 0, 20)));
  EXPECT_FALSE(at::equal(before.narrow(1, 20, 12), after.narrow(1, 20, 12)));
}

}  // namespace highwater::testing_support
