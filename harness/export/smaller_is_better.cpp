#include "harness/export/smaller_is_better.hpp"

#include <fmt/format.h>

#include "harness/export/json_text.hpp"
#include "harness/measure/metric.hpp"

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

std::string extra(const JudgedCell& cell) {
  const CellOutcome& outcome = cell.record->outcome;
  std::string text = fmt::format("verdict: {}", verdict_row(cell.verdict->kind).name);
  if (outcome.certainty) text += "\ncertainty: " + to_text(*outcome.certainty);
  const auto phase = outcome.attributes.find("peak_phase");
  if (phase != outcome.attributes.end()) text += "\npeak phase: " + phase->second;
  return text;
}

Json entry(const JudgedCell& cell, const Metric& metric, const Ends& ends) {
  Json json = {{"name", fmt::format("{}: {}", cell.verdict->cell, metric.id)},
               {"unit", unit_name(metric.unit)},
               {"value", ends.low}};
  if (ends.high) json["range"] = fmt::format("high end {}", *ends.high);
  json["extra"] = extra(cell);
  return json;
}

}  // namespace

std::string smaller_is_better_json(const ExportInput& input) {
  Json entries = Json::array();
  for (const JudgedCell& cell : judged_cells(input)) {
    if (cell.record == nullptr || cell.record->outcome.kind != OutcomeKind::measured) continue;
    const std::string kind = device_kind(cell.record->cell.device);
    for (const Metric& metric : metrics()) {
      const auto ends = ends_of(cell.record, std::string(metric.id));
      if (ends && is_gated(metric, kind)) entries.push_back(entry(cell, metric, *ends));
    }
  }
  return json_text(entries);
}

}  // namespace highwater
