#include "harness/workload/autocast_guard.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace highwater {
namespace {

const AutocastState kHalfOnCpu = {.device_type = at::kCPU, .enabled = true, .dtype = at::kHalf};

TEST(AutocastGuard, CastsInsideAndRestoresOutside) {
  const at::Tensor x = at::ones({2, 2});
  {
    const AutocastGuard guard(kHalfOnCpu);
    EXPECT_EQ(at::linear(x, x).scalar_type(), at::kHalf);
  }
  EXPECT_EQ(at::linear(x, x).scalar_type(), at::kFloat);
}

TEST(AutocastGuard, ANestedGuardRestoresTheOuterOne) {
  const AutocastGuard outer(kHalfOnCpu);
  {
    const AutocastGuard inner({.device_type = at::kCPU, .enabled = false, .dtype = at::kHalf});
    EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  }
  EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(AutocastGuard, TheNextRegionSeesChangedWeights) {
  at::Tensor weight = at::ones({1, 1}).requires_grad_(true);
  const at::Tensor x = at::ones({1, 1}).requires_grad_(true);
  for (const float expected : {1.0F, 3.0F}) {
    {
      const at::NoGradGuard no_grad;
      weight.fill_(expected);
    }
    const AutocastGuard guard(kHalfOnCpu);
    EXPECT_EQ(at::linear(x, weight).item<float>(), expected);
  }
}

TEST(AutocastGuard, ALayerUsedTenTimesIsCastOnce) {
  const at::Tensor weight = at::ones({8, 8}).requires_grad_(true);
  const at::Tensor x = at::ones({8, 8}).requires_grad_(true);
  const AutocastGuard guard(kHalfOnCpu);
  const void* first = nullptr;
  for (int i = 0; i < 10; ++i) {
    const at::Tensor cast = at::autocast::cached_cast(at::kHalf, weight, c10::DeviceType::CPU);
    if (first == nullptr) first = cast.data_ptr();
    EXPECT_EQ(cast.data_ptr(), first);
  }
}

}  // namespace
}  // namespace highwater
