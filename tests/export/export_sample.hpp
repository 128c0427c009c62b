#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/export/export_format.hpp"
#include "tests/fakes/sample_run.hpp"

namespace highwater::testing_fakes {

/// A run of these cells, judged against the baselines of another.
struct SampleExport {
  explicit SampleExport(std::vector<CellRecord> cells, std::vector<CellRecord> accepted = {})
      : run(sample_run(std::move(cells))),
        baselines(baselines_of(sample_run(std::move(accepted)))),
        verdicts(judge(run, baselines)) {}

  std::string text(const std::string& format) const {
    return find_export_format(format).text({run, verdicts, baselines});
  }
  nlohmann::json json(const std::string& format) const {
    return nlohmann::json::parse(text(format));
  }

  RunRecord run;
  Baselines baselines;
  std::vector<Verdict> verdicts;
};

/// A measured cell whose peak is another at the high end.
inline CellRecord bounded_record(const std::string& technique, std::int64_t low,
                                 std::int64_t high) {
  CellRecord record = sample_record(technique, low);
  record.outcome.certainty = Certainty::bounded;
  record.outcome.high = {{"peak_allocated_bytes", high}};
  return record;
}

/// A cell that was not measured.
inline CellRecord unmeasured_record(const std::string& technique, OutcomeKind kind,
                                    const std::string& reason) {
  CellRecord record = sample_record(technique, 1);
  record.outcome = {};
  record.outcome.kind = kind;
  record.outcome.reason = reason;
  return record;
}

}  // namespace highwater::testing_fakes

// What nearly every test of an export speaks of.
namespace highwater {
using testing_fakes::bounded_record;
using testing_fakes::sample_id;
using testing_fakes::sample_record;
using testing_fakes::SampleExport;
using testing_fakes::unmeasured_record;
}  // namespace highwater
