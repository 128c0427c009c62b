#include "harness/compare/soundness.hpp"

#include "harness/compare/savings.hpp"

namespace highwater {

std::int64_t leaked_bytes(const CellOutcome& outcome) {
  const auto leak = outcome.metrics.find("leak_bytes");
  return leak == outcome.metrics.end() ? 0 : leak->second;
}

bool leaks_by_design(const CellOutcome& outcome) { return outcome.attributes.contains("leaks"); }

bool is_steady(const CellOutcome& outcome) {
  const auto steady = outcome.attributes.find("steady");
  return steady == outcome.attributes.end() || steady->second != "false";
}

std::string unsoundness(const CellRecord& record, const RunRecord& run) {
  const CellOutcome& outcome = record.outcome;
  if (outcome.kind != OutcomeKind::measured) return to_text(outcome.kind) + ": " + outcome.reason;
  if (std::string fault = fault_of(outcome); !fault.empty()) return fault;
  const bool leaks = leaked_bytes(outcome) != 0;
  if (leaks && !leaks_by_design(outcome)) return "leaks";
  if (!leaks && leaks_by_design(outcome)) return "does not leak, though its technique says so";
  if (!leaks && !is_steady(outcome)) return "unsteady";
  for (const MetricLine& line : check_promises(record, run)) {
    if (line.broken) return line.note;
  }
  return {};
}

}  // namespace highwater
