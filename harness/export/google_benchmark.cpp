#include "harness/export/google_benchmark.hpp"

#include "harness/export/json_text.hpp"

namespace highwater {
namespace {

using Json = nlohmann::ordered_json;

Json context(const RunHeader& header) {
  Json json = {{"date", header.created}, {"executable", "highwater"}, {"suite", header.suite}};
  for (const auto& [name, version] : header.versions) json["version:" + name] = version;
  for (const auto& [device, testbed] : header.testbeds) json["testbed:" + device] = testbed.id;
  return json;
}

Json benchmark(const CellRecord& record, std::size_t index) {
  const std::string id = cell_id(record.cell);
  const CellOutcome& outcome = record.outcome;
  const bool measured = outcome.kind == OutcomeKind::measured;
  Json json = {{"name", id},
               {"family_index", index},
               {"per_family_instance_index", 0},
               {"run_name", id},
               {"run_type", "iteration"},
               {"repetitions", 1},
               {"repetition_index", 0},
               {"threads", 1}};
  if (!measured) {
    json["error_occurred"] = true;
    json["error_message"] = to_text(outcome.kind) + ": " + outcome.reason;
  }
  json["iterations"] = measured ? 1 : 0;
  json["real_time"] = metric_of(&record, "step_time_nanoseconds").value_or(0);
  json["cpu_time"] = 0;
  json["time_unit"] = "ns";
  if (!measured) return json;
  for (const auto& [metric, value] : outcome.metrics) json[metric] = value;
  for (const auto& [metric, value] : outcome.high) json[metric + "_high"] = value;
  return json;
}

}  // namespace

std::string google_benchmark_json(const ExportInput& input) {
  Json benchmarks = Json::array();
  for (const CellRecord& record : input.run.cells) {
    benchmarks.push_back(benchmark(record, benchmarks.size()));
  }
  return json_text({{"context", context(input.run.header)}, {"benchmarks", std::move(benchmarks)}});
}

}  // namespace highwater
