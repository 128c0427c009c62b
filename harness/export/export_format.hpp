#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/verdict.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// What every export is a pure function of.
struct ExportInput {
  const RunRecord& run;
  std::span<const Verdict> verdicts;  ///< of judge(run, baselines), in its order
  const Baselines& baselines;
};

/// A file format that other people's tools read.
struct ExportFormat {
  std::string_view name;
  std::string_view extension;  ///< of its files, with the dot
  std::string_view meaning;
  std::string (*text)(const ExportInput&);  ///< the whole file
};

/// The whole table; command line, help and documents follow from it.
std::span<const ExportFormat> export_formats();

/// @throws UsageError with the nearest names.
const ExportFormat& find_export_format(const std::string& name);

/// A cell with its verdict; `record` is nullptr where the run should hold the cell and does not.
struct JudgedCell {
  const CellRecord* record;
  const Verdict* verdict;  ///< never nullptr
};

/// One per verdict, in their order. @throws InternalError where a verdict is not of the record at
/// its place.
std::vector<JudgedCell> judged_cells(const ExportInput& input);

}  // namespace highwater
