// Every technique in the registry that brings an optimizer of its own, without naming one.

#include <gtest/gtest.h>

#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

std::vector<std::string> optimizer_techniques() {
  std::vector<std::string> names;
  for (const auto& technique : TechniqueRegistry::instance().all()) {
    if (make_plan({technique}).optimizer.name != StepPlan{}.optimizer.name) {
      names.push_back(technique.name);
    }
  }
  return names;
}

class EveryOptimizer : public testing::TestWithParam<std::string> {
 protected:
  StepPlan plan() const { return make_plan(parse_techniques(GetParam())); }

  /// A matrix, a vector and a convolution in NHWC order, in the type that the technique trains.
  Tensors parameters() const {
    at::manual_seed(1);
    Tensors made = {at::randn({24, 40}), at::randn({40}),
                    at::randn({8, 6, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast)};
    for (at::Tensor& tensor : made) tensor = tensor.to(plan().dtype).requires_grad_(true);
    return made;
  }

  static void give_gradients(const Tensors& parameters, std::int64_t step) {
    at::manual_seed(100 + static_cast<std::uint64_t>(step));
    for (const at::Tensor& parameter : parameters) {
      parameter.mutable_grad() = at::randn_like(parameter);
    }
  }

  static void update(Optimizer& optimizer, const Tensors& parameters) {
    optimizer.take_gradients(parameters);
    optimizer.step();
  }
};
INSTANTIATE_TEST_SUITE_P(Registry, EveryOptimizer, testing::ValuesIn(optimizer_techniques()));

TEST_P(EveryOptimizer, ChangesEveryParameterAndLeavesGradientsAsTheyWere) {
  const Tensors trained = parameters();
  const Tensors before = parameters();
  give_gradients(trained, 0);
  const auto optimizer = plan().optimizer.make(trained);
  update(*optimizer, trained);
  give_gradients(before, 0);
  for (std::size_t p = 0; p < trained.size(); ++p) {
    EXPECT_TRUE(at::isfinite(trained[p]).all().item<bool>());
    EXPECT_FALSE(at::equal(trained[p], before[p]));
    EXPECT_TRUE(at::equal(trained[p].grad(), before[p].grad()));
  }
}

TEST_P(EveryOptimizer, LeavesAParameterWithoutAGradientAlone) {
  const Tensors trained = parameters();
  const Tensors before = parameters();
  const auto optimizer = plan().optimizer.make(trained);
  for (int step = 0; step < 2; ++step) {
    give_gradients(trained, step);
    trained[1].mutable_grad().reset();
    update(*optimizer, trained);
  }
  EXPECT_FALSE(at::equal(trained[0], before[0]));
  EXPECT_TRUE(at::equal(trained[1], before[1]));
}

// As where parameters are updated in backward.
TEST_P(EveryOptimizer, OneForEachParameterDoesWhatOneForAllDoes) {
  const Tensors together = parameters();
  const Tensors apart = parameters();
  const auto one = plan().optimizer.make(together);
  std::vector<std::unique_ptr<Optimizer>> many;
  for (const at::Tensor& parameter : apart) many.push_back(plan().optimizer.make({parameter}));
  for (int step = 0; step < 3; ++step) {
    give_gradients(together, step);
    give_gradients(apart, step);
    update(*one, together);
    for (std::size_t p = 0; p < apart.size(); ++p) update(*many[p], {apart[p]});
  }
  for (std::size_t p = 0; p < apart.size(); ++p) EXPECT_TRUE(at::equal(together[p], apart[p]));
}

TEST_P(EveryOptimizer, KeepsAsManyBytesAParameterAsItSays) {
  if (!TechniqueRegistry::instance().find(GetParam()).not_on_cpu.empty()) {
    GTEST_SKIP() << "on the cpu, host and device are the same";
  }
  for (const at::Tensor& parameter : parameters()) {
    const auto optimizer = plan().optimizer.make({parameter});
    give_gradients({parameter}, 0);
    update(*optimizer, {parameter});
    Bytes bytes = 0;
    for (const at::Tensor& tensor : optimizer->state_tensors()) {
      bytes += static_cast<Bytes>(tensor.nbytes());
    }
    EXPECT_EQ(bytes, plan().optimizer.state_bytes(parameter)) << parameter.sizes();
  }
}

}  // namespace
}  // namespace highwater
