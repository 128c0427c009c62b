// A technique as somebody would add it: this file, and nothing else. test_added.py looks for it
// everywhere. HIGHWATER_PLANT=idle_addition makes it do nothing, which its promise must not
// survive.

#include <cstdlib>
#include <string_view>

#include "harness/workload/registry.hpp"

namespace highwater {
namespace {

bool is_idle() {
  const char* fault = std::getenv("HIGHWATER_PLANT");
  return fault != nullptr && std::string_view(fault) == "idle_addition";
}

const RegisterTechnique registered({
    .name = "added_by_a_test",
    .summary = "release gradients, as somebody's first technique would",
    .relieves = "forward",
    .when = "a test wants to see it",
    .cost = "a line in a document",
    .numerics = NumericsClass::bit_equal,
    .source = "a test",
    .tags = {"planted"},
    .edit =
        [](StepPlan& plan) {
          if (!is_idle()) plan.gradient_reset = GradientReset::set_to_none;
        },
    .promise = [](const StepPlan&, const Measurement& baseline) -> std::optional<Promise> {
      return Promise{.metric = "forward_peak_allocated_bytes",
                     .minimum_saving_bytes = baseline.at("gradients_bytes")};
    },
});

}  // namespace
}  // namespace highwater
