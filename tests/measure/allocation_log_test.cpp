#include "harness/measure/allocation_log.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace highwater {
namespace {

Bytes of(const PeakAttribution& peak, Category category) {
  return peak.by_category[static_cast<std::size_t>(category)];
}

// Intervals of one step: 0 before, 1 forward, 2 between, 3 backward.
AllocationLog step(std::vector<BlockEvent> events) {
  return {.alive_at_start = {{0, 100}},
          .events = std::move(events),
          .intervals = {{{}}, {Phase::forward}, {{}}, {Phase::backward}}};
}

TEST(AttributePeak, WithoutEventsThePeakIsWhatWasAliveBefore) {
  const PeakAttribution peak = attribute_peak(step({}), {{0, Category::parameters}});
  EXPECT_EQ(peak.peak, 100);
  EXPECT_EQ(of(peak, Category::parameters), 100);
  EXPECT_FALSE(peak.phase.has_value());
}

TEST(AttributePeak, ABlockThatOutlivesForwardIsASavedActivation) {
  const PeakAttribution peak = attribute_peak(step({{1, 40, 1}, {1, -40, 3}}), {});
  EXPECT_EQ(peak.peak, 140);
  EXPECT_EQ(peak.phase, Phase::forward);
  EXPECT_EQ(of(peak, Category::saved_activations), 40);
}

TEST(AttributePeak, ABlockFreedInForwardIsATemporary) {
  const PeakAttribution peak = attribute_peak(step({{1, 40, 1}, {1, -40, 1}}), {});
  EXPECT_EQ(of(peak, Category::temporaries), 40);
  EXPECT_EQ(of(peak, Category::saved_activations), 0);
}

TEST(AttributePeak, NamedBlocksKeepTheirName) {
  const PeakAttribution peak = attribute_peak(step({{1, 40, 3}}), {{1, Category::gradients}});
  EXPECT_EQ(of(peak, Category::gradients), 40);
  EXPECT_EQ(of(peak, Category::unattributed), 100);
}

TEST(AttributePeak, ABlockThatStaysAfterTheStepWithoutANameIsUnattributed) {
  const PeakAttribution peak = attribute_peak(step({{1, 40, 1}}), {});
  EXPECT_EQ(of(peak, Category::unattributed), 140);
}

TEST(AttributePeak, TheFirstOfEqualPeaksCounts) {
  const PeakAttribution peak =
      attribute_peak(step({{1, 40, 1}, {1, -40, 1}, {2, 40, 3}, {2, -40, 3}}), {});
  EXPECT_EQ(peak.phase, Phase::forward);
}

TEST(AttributePeak, CategoriesSumToThePeak) {
  const PeakAttribution peak = attribute_peak(
      step({{1, 40, 1}, {2, 7, 1}, {2, -7, 1}, {3, 11, 3}, {1, -40, 3}, {3, -11, 3}}),
      {{0, Category::parameters}});
  EXPECT_EQ(std::accumulate(peak.by_category.begin(), peak.by_category.end(), Bytes{0}), peak.peak);
  EXPECT_EQ(peak.peak, 151);
}

TEST(AttributePeak, ItsBlocksSumToThePeakAndSayWhenTheyWereBorn) {
  const PeakAttribution peak = attribute_peak(
      step({{1, 40, 1}, {2, 5, 1}, {2, -5, 1}, {3, 10, 3}, {1, -40, 3}, {3, -10, 3}}),
      {{0, Category::parameters}});
  ASSERT_EQ(peak.blocks.size(), 3U);
  EXPECT_EQ(peak.blocks[0].size + peak.blocks[1].size + peak.blocks[2].size, peak.peak);
  EXPECT_FALSE(peak.blocks[0].born.has_value());
  EXPECT_EQ(peak.blocks[1].born, Phase::forward);
  EXPECT_EQ(peak.blocks[2].born, Phase::backward);
  EXPECT_EQ(peak.blocks[2].category, Category::temporaries);
}

TEST(AttributePeak, KnowsWhatWasReservedAtThatMoment) {
  EXPECT_EQ(attribute_peak(step({{1, 40, 1, 200}, {1, -40, 3, 300}}), {}).reserved, 200);
}

TEST(PhasePeaks, AreTheMostAliveInAnyIntervalOfAPhaseItsBeginningIncluded) {
  const auto peaks = phase_peaks(step({{1, 40, 1}, {2, 7, 2}, {1, -40, 3}, {3, 10, 3}}));
  EXPECT_EQ(peaks[static_cast<std::size_t>(Phase::forward)], 140);
  EXPECT_EQ(peaks[static_cast<std::size_t>(Phase::backward)], 147);
  EXPECT_EQ(peaks[static_cast<std::size_t>(Phase::optimizer)], 0);
}

}  // namespace
}  // namespace highwater
