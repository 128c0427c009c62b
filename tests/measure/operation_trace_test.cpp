#include "harness/measure/operation_trace.hpp"

#include <ATen/ATen.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/measure/allocation_recorder.hpp"

namespace highwater {
namespace {

/// Origins of all that `act` allocates.
std::vector<Origin> origins_of(const std::function<void()>& act) {
  const OperationTrace trace;
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU, &current_origin);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, recorder);
  recorder->start_log();
  act();
  std::vector<Origin> origins;
  for (const auto& [block, origin] : recorder->stop_log().origins) origins.push_back(origin);
  return origins;
}

bool any(const std::vector<Origin>& origins, const std::string& module, const std::string& op) {
  return std::ranges::any_of(origins, [&](const Origin& origin) {
    return origin.module == module && origin.op.find(op) != std::string::npos;
  });
}

TEST(OperationTrace, ForwardIsInTheScopeThatRuns) {
  const auto origins = origins_of([] {
    const at::Tensor x = at::ones({64, 64});
    const ModuleScope scope("block.1");
    x.exp();
  });
  EXPECT_TRUE(any(origins, "block.1", "aten::exp"));
  EXPECT_TRUE(any(origins, "", "aten::ones"));
}

TEST(OperationTrace, BackwardIsInTheScopeWhoseNodesItRuns) {
  const auto origins = origins_of([] {
    const at::Tensor x = at::ones({64, 64}).requires_grad_();
    at::Tensor y;
    {
      const ModuleScope scope("first");
      y = x.exp();
    }
    {
      const ModuleScope scope("second");
      y = y.sin();
    }
    y.sum().backward();
  });
  EXPECT_TRUE(any(origins, "first", "ExpBackward0"));
  EXPECT_TRUE(any(origins, "second", "SinBackward0"));
  EXPECT_FALSE(any(origins, "first", "SinBackward0"));
  EXPECT_FALSE(any(origins, "second", "ExpBackward0"));
}

TEST(OperationTrace, NobodyPaysForScopesAndOperatorsWithoutOne) {
  const ModuleScope scope("block.1");
  at::ones({64, 64}).exp();
  EXPECT_EQ(current_origin().module, "");
  EXPECT_EQ(running_operator(), "");
}

TEST(OperationTrace, TwoAtOnceNameAnOperatorOnce) {
  const OperationTrace another;
  const auto origins = origins_of([] { at::ones({64, 64}).exp(); });
  EXPECT_TRUE(
      std::ranges::any_of(origins, [](const Origin& origin) { return origin.op == "aten::exp"; }));
}

TEST(OperationTrace, TheInnermostScopeWins) {
  const auto origins = origins_of([] {
    const ModuleScope outer("outer");
    const at::Tensor x = at::ones({64, 64});
    const ModuleScope inner("inner");
    x.exp();
  });
  EXPECT_TRUE(any(origins, "inner", "aten::exp"));
  EXPECT_TRUE(any(origins, "outer", "aten::ones"));
}

TEST(OperationTrace, WhatFollowsAnInnerScopeIsOfTheOuterAgainInBackwardToo) {
  const auto origins = origins_of([] {
    const at::Tensor x = at::ones({64, 64}).requires_grad_();
    at::Tensor y;
    {
      const ModuleScope outer("outer");
      {
        const ModuleScope inner("inner");
        y = x.exp();
      }
      y = y.sin();
    }
    y.sum().backward();
  });
  EXPECT_TRUE(any(origins, "outer", "SinBackward0"));
  EXPECT_TRUE(any(origins, "inner", "ExpBackward0"));
}

TEST(OperationTrace, AnOperatorIsNamedWithTheOneThatDoesItsWork) {
  const auto origins = origins_of([] {
    const at::Tensor x = at::ones({8, 8});
    at::linear(x, x, at::ones({8}));
  });
  EXPECT_TRUE(any(origins, "", "aten::linear > aten::addmm"));
  const bool names_empty = std::ranges::any_of(
      origins, [](const Origin& o) { return o.op.find("> aten::empty") != std::string::npos; });
  EXPECT_FALSE(names_empty);
}

}  // namespace
}  // namespace highwater
