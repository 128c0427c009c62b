#include "harness/export/bencher.hpp"

#include <algorithm>

#include "harness/export/json_text.hpp"

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

std::string slug(std::string metric) {
  std::ranges::replace(metric, '_', '-');
  return metric;
}

Json value_json(const Ends& ends) {
  Json json = {{"value", ends.low}};
  if (!ends.high) return json;
  json["lower_value"] = std::min(ends.low, *ends.high);
  json["upper_value"] = std::max(ends.low, *ends.high);
  return json;
}

}  // namespace

std::string bencher_json(const ExportInput& input) {
  Json cells = Json::object();
  for (const CellRecord& record : input.run.cells) {
    if (record.outcome.kind != OutcomeKind::measured) continue;
    Json& cell = cells[cell_id(record.cell)];
    for (const auto& [metric, value] : record.outcome.metrics) {
      cell[slug(metric)] = value_json(*ends_of(&record, metric));
    }
  }
  return json_text(cells);
}

}  // namespace highwater
