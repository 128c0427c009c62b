#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/promise.hpp"
#include "harness/measure/measurement.hpp"
#include "harness/workload/step_plan.hpp"

namespace highwater {

/// Whether a technique computes the same gradients as baseline.
enum class NumericsClass {
  bit_equal,           ///< every gradient of every compared step is torch::equal
  tolerance,           ///< within `tolerance` of baseline
  different_by_design  ///< only finite weights and a falling loss are checked
};

std::string to_text(NumericsClass numerics);

/// A named edit of a StepPlan, with what it promises. Tests, documents and the gate read this.
struct TechniqueDeclaration {
  std::string name;
  std::string summary;
  /// Phase or category that it is meant to relieve; empty for baseline.
  std::string relieves;
  NumericsClass numerics = NumericsClass::bit_equal;
  /// Largest |g - baseline| / |baseline| (L2) of any parameter's gradient; with its reason in the
  /// file.
  double tolerance = 0;
  std::string source;
  std::vector<std::string> tags;
  /// Techniques that it cannot be combined with, beyond those that edit the same field.
  std::vector<std::string> excludes;
  std::function<void(StepPlan&)> edit;
  /// What it promises to save against baseline under the composed plan, from baseline's prediction;
  /// absent where it promises nothing. A null function promises nothing.
  std::function<std::optional<Promise>(const StepPlan&, const Measurement& baseline)> promise;
};

/// Promises to save one part in `parts` of what baseline is predicted to need of a metric; nothing
/// where no closed form is known.
std::optional<Promise> promise_part(const Measurement& baseline, const std::string& metric,
                                    std::int64_t parts);

}  // namespace highwater
