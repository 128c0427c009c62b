#include "tests/fakes/sample_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace highwater::testing_fakes {

std::string sample_id(const std::string& technique, const std::string& model) {
  return model + "/full/" + technique + "/sim:h200";
}

CellRecord sample_record(const std::string& technique, std::int64_t peak,
                         const std::string& model) {
  CellRecord record{parse_cell_id(sample_id(technique, model)), {}};
  record.outcome.kind = OutcomeKind::measured;
  record.outcome.certainty = Certainty::exact;
  record.outcome.metrics = {
      {"peak_allocated_bytes", peak}, {"peak_reserved_bytes", peak}, {"leak_bytes", 0}};
  record.outcome.attributes = {{"peak_phase", "forward"}, {"steady", "true"}};
  return record;
}

BaselineRow sample_row(const std::string& cell, const std::string& metric, const Ends& value,
                       const std::string& date, const std::string& reason) {
  return {.cell = cell,
          .metric = metric,
          .value = value,
          .anchor = value.low,
          .tolerance = 0,
          .date = date,
          .reason = reason};
}

RunRecord sample_run(std::vector<CellRecord> records) {
  RunRecord run;
  run.header.suite = "default";
  run.header.created = "2026-01-31T12:00:00Z";
  run.header.testbeds = {{"sim:h200", {"bed", {{"torch", "2.11.0"}}}},
                         {"cpu", {"cpubed", {}}},
                         {"cuda", {"cudabed", {}}}};
  run.header.versions = {{"highwater", "0.1.0"}};
  run.cells = std::move(records);
  return run;
}

Verdict verdict_on(const std::vector<Verdict>& verdicts, const std::string& cell) {
  const auto found = std::ranges::find(verdicts, cell, &Verdict::cell);
  if (found != verdicts.end()) return *found;
  ADD_FAILURE() << "no verdict on " << cell;
  return {};
}

}  // namespace highwater::testing_fakes
