#include "harness/workload/step_plan.hpp"

namespace highwater {
namespace {

std::string describe_autocast(const std::optional<Autocast>& autocast) {
  if (!autocast) return "off";
  return std::string(c10::toString(autocast->dtype)) + (autocast->gradient_scaler ? "+scaler" : "");
}

}  // namespace

std::map<std::string, std::string> describe(const StepPlan& plan) {
  return {
      {"micro_batches", std::to_string(plan.micro_batches)},
      {"autocast", describe_autocast(plan.autocast)},
      {"segment_wrap", plan.segment_wrap ? plan.segment_wrap->name() : "none"},
      {"gradient_reset",
       plan.gradient_reset == GradientReset::zero_fill ? "zero_fill" : "set_to_none"},
      {"optimizer", plan.optimizer.name},
  };
}

std::vector<std::string> differing_fields(const StepPlan& a, const StepPlan& b) {
  const auto of_a = describe(a);
  const auto of_b = describe(b);
  std::vector<std::string> names;
  for (const auto& [name, text] : of_a) {
    if (of_b.at(name) != text) names.push_back(name);
  }
  return names;
}

}  // namespace highwater
