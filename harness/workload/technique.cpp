#include "harness/workload/technique.hpp"

namespace highwater {

std::string to_text(NumericsClass numerics) {
  switch (numerics) {
    case NumericsClass::bit_equal:
      return "bit_equal";
    case NumericsClass::tolerance:
      return "tolerance";
    case NumericsClass::different_by_design:
      return "different_by_design";
  }
  return "";
}

std::optional<Promise> promise_part(const Measurement& baseline, const std::string& metric,
                                    std::int64_t parts) {
  const auto needed = baseline.find(metric);
  if (needed == baseline.end()) return std::nullopt;
  return Promise{.metric = metric, .minimum_saving_bytes = needed->second / parts};
}

}  // namespace highwater
