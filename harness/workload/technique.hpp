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
  bit_equal,            ///< every gradient of every compared step is torch::equal
  tolerance,            ///< within `tolerance` of baseline
  different_by_design,  ///< only finite weights and a falling loss are checked
  diverges              ///< weights stop being finite; a run where they do not is wrong
};

std::string to_text(NumericsClass numerics);

/// A number that a technique takes: "gradient_accumulation:8" sets it.
struct TechniqueParameter {
  std::string name;
  std::string meaning;
  std::int64_t value = 0;     ///< what the bare name of the technique means
  std::int64_t smallest = 0;  ///< that makes sense
  std::function<void(StepPlan&, std::int64_t)> edit;
};

/// A named edit of a StepPlan, with what it promises. Tests, documents and the gate read this.
struct TechniqueDeclaration {
  std::string name;
  std::string summary;
  /// Phase or category that it is meant to relieve; empty for baseline.
  std::string relieves;
  /// Preset in which that is the peak: "full" or "small" (see ModelDeclaration::small_batch).
  std::string scenario = "full";
  /// For people: when to reach for it, and what it costs beside bytes.
  std::string when;
  std::string cost;
  /// Abilities of a model that it takes hold of.
  std::vector<std::string> needs;
  /// Why it does nothing on the cpu; empty where it does.
  std::string not_on_cpu;
  /// It moves bytes from the device to the host or to another device. The cpu has one memory: only
  /// its numerics are checked there, and no composition with it promises anything.
  bool moves_bytes_elsewhere = false;
  NumericsClass numerics = NumericsClass::bit_equal;
  /// Largest |g - baseline| / |baseline| (L2) of any parameter's gradient; with its reason in the
  /// file.
  double tolerance = 0;
  std::string source;
  std::vector<std::string> tags;
  /// A fault that people make, measured: it leaks, and a row of it that does not is wrong.
  bool leaks = false;
  /// Techniques that it cannot be combined with, beyond those that edit the same field.
  std::vector<std::string> excludes;
  std::function<void(StepPlan&)> edit = [](StepPlan&) {};
  std::optional<TechniqueParameter> parameter;
  /// What it promises to save against baseline under the composed plan, from baseline's prediction;
  /// absent where it promises nothing. A null function promises nothing.
  std::function<std::optional<Promise>(const StepPlan&, const Measurement& baseline)> promise;
};

/// Forward alone keeps nothing: promises all activations but the loss.
std::optional<Promise> promise_inference(const StepPlan& plan, const Measurement& baseline);

/// Promises that so many bytes fewer are allocated between steps, less the sixteenth by which
/// blocks can be larger than their tensors.
Promise promise_at_rest(std::int64_t bytes);

/// Promises to save one part in `parts` of what baseline is predicted to need of a metric; nothing
/// where no closed form is known.
std::optional<Promise> promise_part(const Measurement& baseline, const std::string& metric,
                                    std::int64_t parts);

}  // namespace highwater
