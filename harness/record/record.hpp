#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/testbed.hpp"
#include "harness/matrix/cell.hpp"
#include "harness/run/outcome.hpp"

namespace highwater {

/// The form of records.jsonl; results/schema/ publishes it. Every reader refuses another number.
inline constexpr std::string_view kRecordSchema = "highwater.records/3";

/// Line 1 of records.jsonl: what holds for all cells of a run.
struct RunHeader {
  std::string suite;
  std::string created;                                 ///< UTC, e.g. "2026-01-31T12:00:00Z"
  std::map<std::string, Testbed> testbeds;             ///< by device
  std::map<std::string, std::string> versions;         ///< "highwater", "torch"
  nlohmann::json settings = nlohmann::json::object();  ///< protocol, selection, planned_cells
};

/// One further line.
struct CellRecord {
  Cell cell;
  CellOutcome outcome;
};

struct RunRecord {
  RunHeader header;
  std::vector<CellRecord> cells;  ///< in file order, ids unique
  std::vector<std::string>
      warnings;  ///< what a reader should be told, e.g. a half-written last line
};

/// The text of one line, without its end.
std::string header_line(const RunHeader& header);
std::string cell_line(const CellRecord& record);

/// Appends one line at a time, each flushed, so that finished rows survive whatever follows.
class RecordWriter {
 public:
  /// Writes the header. @throws UsageError naming the path.
  RecordWriter(std::filesystem::path path, const RunHeader& header);
  /// Goes on after the last row, whose line has its end. @throws as above.
  explicit RecordWriter(std::filesystem::path path);
  /// @throws UsageError naming the path, e.g. on a full disk.
  void append(const CellRecord& record);

 private:
  void append_line(const std::string& line);

  std::filesystem::path path_;
  std::ofstream file_;
};

/// Reads records.jsonl, or the one in a run folder.
/// @throws UsageError "file:line: ..." on anything that is not of kRecordSchema: malformed lines,
/// unknown keys or metrics, ids that stand twice. A last line without its end is what an
/// interrupted run leaves: it becomes a warning.
RunRecord read_run(const std::filesystem::path& path);

/// Whether flags left out, or changed, cells of the suite: such a run says nothing about the
/// others.
bool is_narrowed(const RunHeader& header);

/// Ids of the cells that the run set out to measure; nullopt where the header does not say.
std::optional<std::vector<std::string>> planned_cells(const RunHeader& header);

/// Whether every planned cell has its row. An interrupted run, and one that does not say what it
/// planned, is not complete.
bool is_complete(const RunRecord& run);

/// The record of a cell, or nullptr.
const CellRecord* find_record(const RunRecord& run, std::string_view cell);

/// A metric of a record; absent where there is no record, or it lacks the metric. Of a bounded one
/// the low end, and both.
std::optional<std::int64_t> metric_of(const CellRecord* record, const std::string& id);
std::optional<Ends> ends_of(const CellRecord* record, const std::string& id);

}  // namespace highwater
