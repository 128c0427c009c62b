#include "harness/export/export_format.hpp"

#include <algorithm>
#include <array>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/export/bencher.hpp"
#include "harness/export/chrome_trace.hpp"
#include "harness/export/csv.hpp"
#include "harness/export/google_benchmark.hpp"
#include "harness/export/junit.hpp"
#include "harness/export/markdown_summary.hpp"
#include "harness/export/smaller_is_better.hpp"

namespace highwater {
namespace {

constexpr std::array kFormats = {
    ExportFormat{"google-benchmark", ".json", "Google Benchmark's JSON, metrics as counters",
                 &google_benchmark_json},
    ExportFormat{"smaller-is-better", ".json",
                 "gated metrics for github-action-benchmark's customSmallerIsBetter",
                 &smaller_is_better_json},
    ExportFormat{"bencher", ".json", "Bencher Metric Format, a measure for each metric",
                 &bencher_json},
    ExportFormat{"junit", ".xml", "JUnit, a test case for each cell and its verdict", &junit_xml},
    ExportFormat{"csv", ".csv", "RFC 4180, a row for each cell and a column for each metric",
                 &csv_text},
    ExportFormat{"chrome-trace", ".json",
                 "Trace Event Format, the peak of each phase of a step; its time is only an order",
                 &chrome_trace_json},
    ExportFormat{"markdown", ".md", "a summary for a pull request, at most 65,536 characters",
                 &markdown_summary},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

const ExportFormat& find_export_format(const std::string& name) {
  const auto* row = std::ranges::find(kFormats, name, &ExportFormat::name);
  if (row != kFormats.end()) return *row;
  std::vector<std::string> names;
  for (const ExportFormat& format : kFormats) names.emplace_back(format.name);
  throw UsageError(unknown_name("format", name, names));
}

std::vector<JudgedCell> judged_cells(const ExportInput& input) {
  std::vector<JudgedCell> cells;
  for (std::size_t i = 0; i < input.verdicts.size(); ++i) {
    const Verdict& verdict = input.verdicts[i];
    const auto* record = i < input.run.cells.size() ? &input.run.cells[i] : nullptr;
    if (record != nullptr && cell_id(record->cell) != verdict.cell) {
      throw InternalError("verdict " + std::to_string(i) + " is of " + verdict.cell + ", not of " +
                          cell_id(record->cell));
    }
    cells.push_back({record, &verdict});
  }
  return cells;
}

}  // namespace highwater
