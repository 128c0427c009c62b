#include "harness/workload/reentrant_checkpoint.hpp"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "harness/core/error.hpp"
#include "harness/workload/random_state.hpp"

namespace highwater {
namespace {

at::Tensor run(const Segment& segment, const at::Tensor& x, bool checkpointed) {
  return (checkpointed ? ReentrantCheckpoint().run(segment, {x}) : segment.run({x})).at(0);
}

TEST(ReentrantCheckpoint, RefusesAutogradGradAndNamesTheSegmentAndTheOtherForm) {
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("block.7", [w](const at::Tensor& x) { return at::linear(x, w); });
  const at::Tensor x = at::randn({4, 8}).requires_grad_(true);
  try {
    torch::autograd::grad({run(s, x, true).sum()}, {x});
    FAIL() << "the inner backward was run for a gradient that it cannot know";
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("block.7"), std::string::npos) << text;
    EXPECT_NE(text.find("activation_checkpointing"), std::string::npos) << text;
  }
}

TEST(ReentrantCheckpoint, HandlesTwoInputsTwoOutputsAndOneOfThemUnused) {
  const Segment s = {.name = "s", .run = [](const Tensors& x) {
                       return Tensors{x[0] * x[1], x[0].tanh()};
                     }};
  std::vector<Tensors> gradients;
  for (const bool checkpointed : {false, true}) {
    seed_generators(at::kCPU, 1);
    const at::Tensor a = at::randn({8}).requires_grad_(true);
    const at::Tensor b = at::randn({8}).requires_grad_(true);
    const Tensors both = checkpointed ? ReentrantCheckpoint().run(s, {a, b}) : s.run({a, b});
    both[0].sum().backward();
    gradients.push_back({a.grad(), b.grad()});
  }
  EXPECT_TRUE(at::equal(gradients[0][0], gradients[1][0]));
  EXPECT_TRUE(at::equal(gradients[0][1], gradients[1][1]));
}

TEST(ReentrantCheckpoint, ASegmentThatReturnsItsInputPassesTheGradientOn) {
  const at::Tensor x = at::randn({8}).requires_grad_(true);
  const at::Tensor y = x * 3;
  run(link("s", [](const at::Tensor& t) { return t; }), y, true).sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), at::full({8}, 3.0)));
}

TEST(ReentrantCheckpoint, UnderNoGradRunsThePlainSegment) {
  const at::NoGradGuard no_grad;
  const at::Tensor w = at::randn({8, 8}).requires_grad_(true);
  const Segment s = link("s", [w](const at::Tensor& x) { return at::linear(x, w); });
  EXPECT_FALSE(run(s, at::randn({4, 8}), true).requires_grad());
}

}  // namespace
}  // namespace highwater
