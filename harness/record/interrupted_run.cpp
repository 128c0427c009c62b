#include "harness/record/interrupted_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/json_lines.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& folder, std::string_view message) {
  throw UsageError(fmt::format("{} cannot be resumed: {}", folder.string(), message));
}

// A run that was killed before its header was whole has measured nothing.
void check_began(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(records_path(folder), ignored)) {
    refuse(folder, "it is no folder of a run (it holds no records.jsonl); start a new run");
  }
  if (read_file(records_path(folder)).find('\n') == std::string::npos) {
    refuse(folder, "it ended before its header was written, and measured nothing; start a new run");
  }
}

/// The planned cells, in order. What a file says becomes cells to run here, so each must be one
/// that the reader will take back.
std::vector<Cell> planned(const fs::path& folder, const RunHeader& header) {
  const auto ids = planned_cells(header);
  if (!ids) refuse(folder, "its header does not say which cells were planned; start a new run");
  std::vector<Cell> cells;
  std::set<std::string> seen;
  for (const std::string& id : *ids) {
    cells.push_back(parse_cell_id(id));
    if (!seen.insert(id).second) refuse(folder, "its header plans cell \"" + id + "\" twice");
    if (!header.testbeds.contains(cells.back().device))
      refuse(folder, "its header names no testbed for device " + cells.back().device);
  }
  return cells;
}

void check_rows(const fs::path& folder, const RunRecord& run, const std::vector<Cell>& cells) {
  for (const CellRecord& record : run.cells) {
    if (std::ranges::find(cells, record.cell) == cells.end())
      refuse(folder, "its header did not plan the row \"" + cell_id(record.cell) + "\"");
  }
}

bool has_report(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(report_path(folder), ignored);
}

}  // namespace

InterruptedRun read_interrupted(const fs::path& folder) {
  check_began(folder);
  RunRecord run = read_run(records_path(folder));
  const std::vector<Cell> cells = planned(folder, run.header);
  check_rows(folder, run, cells);
  InterruptedRun interrupted;
  for (const Cell& cell : cells) {
    if (find_record(run, cell_id(cell)) == nullptr) interrupted.left.push_back(cell);
  }
  if (interrupted.left.empty() && has_report(folder)) {
    refuse(folder, fmt::format("it is complete, all {} planned cells have their rows; start a new "
                               "run, or read this one with `highwater report`",
                               cells.size()));
  }
  interrupted.header = std::move(run.header);
  return interrupted;
}

void arrange_records(const fs::path& folder) {
  const fs::path path = records_path(folder);
  const RunRecord run = read_run(path);
  const std::string text = read_file(path);
  const auto lines = json_lines(path, text);
  std::map<std::string, std::string_view> rows;
  for (std::size_t i = 0; i < run.cells.size(); ++i)
    rows[cell_id(run.cells[i].cell)] = lines[i + 1].text;
  std::string arranged = std::string(lines.front().text) + "\n";
  const std::vector<std::string> order = planned_cells(run.header).value();
  for (const std::string& id : order) {
    if (const auto row = rows.find(id); row != rows.end()) arranged.append(row->second) += '\n';
  }
  if (arranged != text) write_file_atomically(path, arranged);
}

}  // namespace highwater
