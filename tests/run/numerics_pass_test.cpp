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

// pytorch#8860: NaN weights are small, but no saving.
TEST(NumericsPass, WeightsThatBecomeNaNAreWrongUnlessTheTechniqueSaysThatTheyDo) {
  TechniqueDeclaration half = TechniqueRegistry::instance().find("pure_fp16");
  EXPECT_EQ(verdict(half), "diverges");
  half.numerics = NumericsClass::different_by_design;
  EXPECT_EQ(verdict(half), "wrong");
  TechniqueDeclaration sound = TechniqueRegistry::instance().find("baseline");
  sound.numerics = NumericsClass::diverges;
  EXPECT_EQ(verdict(sound), "wrong");
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

TEST(NumericsPass, ANaNGradientIsInfinitelyFarAway) {
  const Numerics numerics =
      check_numerics(DeviceSession("cpu"), kCell,
                     {distorting(std::nan(""), NumericsClass::bit_equal)}, Protocol{});
  EXPECT_TRUE(std::isinf(numerics.gradient_difference));
}

/// AdamW with another learning rate, or on a part of the parameters only.
TechniqueDeclaration optimizing(double learning_rate, bool all_parameters) {
  return {.name = "under test",
          .numerics = NumericsClass::tolerance,
          .tolerance = 2e-2,
          .edit = [=](StepPlan& plan) {
            plan.optimizer.name = "under test";
            plan.optimizer.make = [=](std::vector<at::Tensor> parameters) {
              if (!all_parameters) parameters.resize(parameters.size() / 2);
              return adamw(learning_rate).make(std::move(parameters));
            };
          }};
}

TEST(NumericsPass, AFifthOfTheLearningRateIsWrongThoughGradientsAndLossesAreClose) {
  EXPECT_EQ(verdict(optimizing(2e-4, true)), "wrong");
}

TEST(NumericsPass, TrainingHalfOfTheParametersIsWrong) {
  EXPECT_EQ(verdict(optimizing(1e-3, false)), "wrong");
}

/// A wrap that keeps the output of one segment but gives it no gradient: its parameters learn
/// nothing.
class Detach : public SegmentWrap {
 public:
  std::string name() const override { return "detach"; }
  Tensors run(const Segment& segment, const Tensors& inputs) const override {
    const at::Tensor output = segment.run(inputs).at(0);
    return {segment.name == "layers.0" ? output.detach().requires_grad_(true) : output};
  }
};

TEST(NumericsPass, LosingTheSmallestGradientsIsWrong) {
  const TechniqueDeclaration technique = {
      .name = "under test",
      .numerics = NumericsClass::tolerance,
      .tolerance = 0.25,
      .edit = [](StepPlan& plan) { plan.segment_wrap = std::make_shared<Detach>(); }};
  EXPECT_EQ(verdict(technique), "wrong");
}

TEST(NumericsPass, AWrongAccumulationOfAModelWithBatchStatisticsIsWrong) {
  Cell cell = kCell;
  cell.model = "resnet50";
  TechniqueDeclaration technique = TechniqueRegistry::instance().find("gradient_accumulation");
  technique.edit = [edit = technique.edit](StepPlan& plan) {
    edit(plan);
    plan.segment_wrap = std::make_shared<Distort>(1.01);
  };
  EXPECT_EQ(verdict(technique, cell), "wrong");
}

}  // namespace
}  // namespace highwater
