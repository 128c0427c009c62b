// Both forms of checkpointing over eight blocks, wrapped in one to eight segments.

#include <gtest/gtest.h>

#include "harness/measure/allocation_recorder.hpp"
#include "harness/workload/checkpoint.hpp"
#include "harness/workload/layers.hpp"
#include "harness/workload/random_state.hpp"
#include "harness/workload/reentrant_checkpoint.hpp"

namespace highwater {
namespace {

constexpr std::int64_t kBlocks = 8;
constexpr std::int64_t kWidth = 64;
constexpr std::int64_t kSamples = 512;

struct Trained {
  Tensors gradients;
  Bytes peak;
};

/// One forward and backward through eight linear layers with two activations each.
Trained train(const SegmentWrap* wrap, std::int64_t blocks_per_segment) {
  const auto recorder = std::make_shared<AllocationRecorder>(c10::DeviceType::CPU);
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, recorder);
  seed_generators(at::kCPU, 1);
  std::vector<std::shared_ptr<Linear>> layers;
  std::vector<Segment> segments;
  for (std::int64_t i = 0; i < kBlocks; ++i) {
    layers.push_back(std::make_shared<Linear>(kWidth, kWidth, at::kCPU));
    segments.push_back(link(std::to_string(i), [layer = layers.back()](const at::Tensor& x) {
      return at::gelu(at::tanh(layer->forward(x)));
    }));
  }
  Tensors x = {at::randn({kSamples, kWidth})};
  recorder->reset_peak();
  for (const Segment& segment : merge_recomputable(segments, blocks_per_segment)) {
    x = wrap == nullptr ? segment.run(x) : wrap->run(segment, x);
  }
  const at::Tensor loss = x.at(0).sum();
  x.clear();
  loss.backward();
  Trained trained{.peak = recorder->peak()};
  for (const auto& layer : layers) trained.gradients.push_back(layer->weight.grad());
  return trained;
}

template <class Wrap>
class EitherCheckpoint : public testing::Test {};
using Forms = testing::Types<Checkpoint, ReentrantCheckpoint>;
TYPED_TEST_SUITE(EitherCheckpoint, Forms);

TYPED_TEST(EitherCheckpoint, OfEightBlocksInAnyNumberOfSegmentsGivesBitEqualGradients) {
  const TypeParam wrap;
  const Trained plain = train(nullptr, 1);
  for (const std::int64_t length : {1, 2, 3, 4, 8}) {
    const Trained checkpointed = train(&wrap, length);
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      EXPECT_TRUE(at::equal(plain.gradients[i], checkpointed.gradients[i])) << length;
    }
  }
}

TYPED_TEST(EitherCheckpoint, OfEightBlocksNeedsLeastInSegmentsOfMiddleLength) {
  const TypeParam wrap;
  const Bytes plain = train(nullptr, 1).peak;
  const Bytes middle = train(&wrap, 2).peak;
  EXPECT_LT(middle, plain - plain / 4);
  EXPECT_LT(middle, train(&wrap, 8).peak);
}

}  // namespace
}  // namespace highwater
