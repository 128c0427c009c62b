#include "harness/workload/random_state.hpp"

#include <gtest/gtest.h>

#include "harness/run/device_session.hpp"

namespace highwater {
namespace {

TEST(RandomState, RestoresTheCpuGenerator) {
  seed_generators(at::kCPU, 7);
  const RandomState state = RandomState::current(at::kCPU);
  const at::Tensor drawn = at::randn({4});
  state.restore();
  EXPECT_TRUE(at::equal(at::randn({4}), drawn));
}

// A CUDA generator's state lies on the host, so the simulated GPU has a true one.
TEST(RandomState, SimRestoresTheDevicesGeneratorToo) {
  const DeviceSession session("sim:h200");
  const auto state = [&] {
    return at::globalContext().defaultGenerator(session.device()).get_state();
  };
  const at::Tensor before = state();
  {
    const RandomStateGuard guard(session.device());
    at::randn({4}, at::device(session.device()));
    EXPECT_FALSE(at::equal(state(), before));
  }
  EXPECT_TRUE(at::equal(state(), before));
}

}  // namespace
}  // namespace highwater
