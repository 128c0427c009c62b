#include "harness/export/chrome_trace.hpp"

#include <fmt/format.h>

#include "harness/core/phase.hpp"
#include "harness/export/trace_file.hpp"

namespace highwater {
namespace {

constexpr std::int64_t kPhaseMicroseconds = 1000;
const std::string kCounter = "allocated bytes (peak of the phase)";

struct PhasePeak {
  std::string phase;
  Ends bytes;
};

std::vector<PhasePeak> phase_peaks(const CellRecord& record) {
  std::vector<PhasePeak> peaks;
  for (const std::string_view phase : kPhaseNames) {
    const auto peak = ends_of(&record, fmt::format("{}_peak_allocated_bytes", phase));
    if (peak) peaks.push_back({std::string(phase), *peak});
  }
  return peaks;
}

void add_counters(TraceFile& trace, const CellRecord& record, std::int64_t time,
                  const Ends& bytes) {
  trace.add_counter(kCounter, time, bytes.low);
  if (!record.outcome.high.empty()) {
    trace.add_counter(kCounter + ", high end", time, bytes.highest());
  }
}

void add_span(TraceFile& trace, std::int64_t time, const PhasePeak& peak) {
  nlohmann::ordered_json args = {{"peak_allocated_bytes", peak.bytes.low}};
  if (peak.bytes.high) args["peak_allocated_bytes_high"] = *peak.bytes.high;
  trace.add_span(peak.phase, time, kPhaseMicroseconds, std::move(args));
}

void add_cell(TraceFile& trace, const CellRecord& record) {
  const auto peaks = phase_peaks(record);
  if (peaks.empty()) return;
  trace.begin_process(cell_id(record.cell));
  std::int64_t time = 0;
  for (const PhasePeak& peak : peaks) {
    add_span(trace, time, peak);
    add_counters(trace, record, time, peak.bytes);
    time += kPhaseMicroseconds;
  }
  const auto rest = ends_of(&record, "rest_allocated_bytes");
  if (rest) add_counters(trace, record, time, *rest);
}

}  // namespace

std::string chrome_trace_json(const ExportInput& input) {
  TraceFile trace;
  for (const CellRecord& record : input.run.cells) {
    if (record.outcome.kind == OutcomeKind::measured) add_cell(trace, record);
  }
  return trace.text({{"suite", input.run.header.suite},
                     {"created", input.run.header.created},
                     {"time", "an order only: 1 ms stands for one phase, nothing was timed"},
                     {"bytes", "the most allocated inside each phase of a steady step"}});
}

}  // namespace highwater
