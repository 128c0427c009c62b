#include "harness/workload/technique.hpp"

namespace highwater {
namespace {

/// The loss itself, and on a GPU the smallest block, of 512 bytes.
constexpr std::int64_t kLossBlock = 512;

}  // namespace

std::string to_text(NumericsClass numerics) {
  switch (numerics) {
    case NumericsClass::bit_equal:
      return "bit_equal";
    case NumericsClass::tolerance:
      return "tolerance";
    case NumericsClass::different_by_design:
      return "different_by_design";
    case NumericsClass::diverges:
      return "diverges";
  }
  return "";
}

Promise promise_at_rest(std::int64_t bytes) {
  return {.metric = "rest_allocated_bytes", .minimum_saving_bytes = bytes - bytes / 16};
}

std::optional<Promise> promise_part(const Measurement& baseline, const std::string& metric,
                                    std::int64_t parts) {
  const auto needed = baseline.find(metric);
  if (needed == baseline.end()) return std::nullopt;
  return Promise{.metric = metric, .minimum_saving_bytes = needed->second / parts};
}

std::optional<Promise> promise_inference(const StepPlan&, const Measurement& baseline) {
  const auto needed = baseline.find("activations_after_forward_bytes");
  if (needed == baseline.end()) return std::nullopt;
  return Promise{.metric = "activations_after_forward_bytes",
                 .minimum_saving_bytes = needed->second - kLossBlock};
}

}  // namespace highwater
