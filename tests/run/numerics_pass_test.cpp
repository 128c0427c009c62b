#include "harness/run/numerics_pass.hpp"

#include <gtest/gtest.h>

#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

const Cell kCell = {.model = "mlp", .preset = "twin", .technique = "under test", .device = "cpu"};

/// Runs a segment and changes its output.
class Distort : public SegmentWrap {
 public:
  explicit Distort(double factor) : factor_(factor) {}
  std::string name() const override { return "distort"; }
  Tensors run(const Segment& segment, const Tensors& inputs) const override {
    return {segment.run(inputs).at(0) * factor_};
  }

 private:
  double factor_;
};

TechniqueDeclaration distorting(double factor, NumericsClass numerics, double tolerance = 0) {
  return {
      .name = "under test",
      .numerics = numerics,
      .tolerance = tolerance,
      .edit = [factor](StepPlan& plan) { plan.segment_wrap = std::make_shared<Distort>(factor); }};
}

std::string verdict(const TechniqueDeclaration& technique, const Cell& cell = kCell) {
  return check_numerics(DeviceSession("cpu"), cell, {technique}, Protocol{}).verdict;
}

TEST(NumericsPass, TheBaselineIsBitEqualToItself) {
  EXPECT_EQ(verdict(TechniqueRegistry::instance().find("baseline")), "bit_equal");
}

TEST(NumericsPass, ATechniqueThatClaimsBitEqualityAndIsOffByOnePartInAMillionIsWrong) {
  EXPECT_EQ(verdict(distorting(1.000001, NumericsClass::bit_equal)), "wrong");
}

TEST(NumericsPass, ATechniqueOutsideItsToleranceIsWrong) {
  EXPECT_EQ(verdict(distorting(1.5, NumericsClass::tolerance, 1e-3)), "wrong");
}

TEST(NumericsPass, ATechniqueInsideItsToleranceIsAccepted) {
  EXPECT_EQ(verdict(distorting(1.00001, NumericsClass::tolerance, 1e-3)), "within_tolerance");
}

TEST(NumericsPass, ATechniqueThatLearnsNothingIsWrongHoweverDifferentItMayBe) {
  EXPECT_EQ(verdict(distorting(std::nan(""), NumericsClass::different_by_design)), "wrong");
}

TEST(NumericsPass, SplittingABatchWithBatchStatisticsIsDifferentByDesign) {
  Cell cell = kCell;
  cell.model = "resnet50";
  EXPECT_EQ(verdict(TechniqueRegistry::instance().find("gradient_accumulation"), cell),
            "different_by_design");
}

TEST(NumericsPass, SplittingABatchOfAModelWithDropoutIsComparedWithDropoutOff) {
  Cell cell = kCell;
  cell.model = "bert-large";
  EXPECT_EQ(verdict(TechniqueRegistry::instance().find("gradient_accumulation"), cell),
            "within_tolerance");
}

TEST(NumericsPass, HoldsOnlyFiniteNumbers) {
  const Numerics numerics =
      check_numerics(DeviceSession("cpu"), kCell,
                     {distorting(std::nan(""), NumericsClass::bit_equal)}, Protocol{});
  EXPECT_TRUE(std::isfinite(numerics.gradient_difference));
  EXPECT_TRUE(std::isfinite(numerics.last_loss));
}

}  // namespace
}  // namespace highwater
