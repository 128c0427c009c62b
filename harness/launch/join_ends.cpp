#include "harness/launch/join_ends.hpp"

namespace highwater {

CellOutcome join_ends(CellOutcome low, CellOutcome high) {
  if (high.kind != OutcomeKind::measured) {
    high.reason = "with the highest sizes that a real device may ask for: " + high.reason;
    return high;
  }
  for (const auto& [metric, value] : high.metrics) {
    const auto other = low.metrics.find(metric);
    if (other == low.metrics.end() || other->second != value) low.high[metric] = value;
  }
  low.certainty = low.high.empty() ? Certainty::exact : Certainty::bounded;
  if (high.attributes["steady"] == "false") low.attributes["steady"] = "false";
  return low;
}

}  // namespace highwater
