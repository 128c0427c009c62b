#include "harness/record/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/json_lines.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array kOutcomeKeys = {"outcome",    "reason",   "certainty",  "metrics", "high",
                                     "attributes", "numerics", "prediction", "profile", "promises"};

// Bytes of a cell's last words need not be UTF-8; they are shown with replacement characters.
template <typename Json>
std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> cell_keys() {
  std::vector<std::string> keys = {"cell"};
  for (const CellField& field : cell_fields()) keys.emplace_back(field.name);
  keys.insert(keys.end(), kOutcomeKeys.begin(), kOutcomeKeys.end());
  return keys;
}

RunHeader read_header(const JsonLine& line) {
  const nlohmann::json json = line.parse();
  check_schema(line, json, kRecordSchema);
  refuse_unknown_keys(line, json,
                      {"schema", "suite", "created", "testbed", "versions", "settings"});
  RunHeader read = line.reading([&] {
    RunHeader header;
    json.at("suite").get_to(header.suite);
    json.at("created").get_to(header.created);
    json.at("testbed").get_to(header.testbeds);
    json.at("versions").get_to(header.versions);
    header.settings = json.at("settings");
    // Both read the settings, and throw where those have the wrong types.
    is_narrowed(header);
    planned_cells(header);
    return header;
  });
  check_plain_name(line, "suite", read.suite);
  for (const auto& [device, testbed] : read.testbeds) {
    check_plain_name(line, "testbed id", testbed.id);
  }
  return read;
}

void check_id(const nlohmann::json& json, const Cell& cell) {
  const auto id = json.at("cell").get<std::string>();
  if (id != cell_id(cell) || parse_cell_id(id) != cell) {
    throw UsageError(
        fmt::format("cell \"{}\" does not match its fields, which say \"{}\"", id, cell_id(cell)));
  }
}

CellRecord read_cell(const JsonLine& line, const RunHeader& header) {
  const nlohmann::json json = line.parse();
  refuse_unknown_keys(line, json, cell_keys());
  for (const char* key : {"metrics", "high", "prediction"}) {
    if (json.contains(key)) refuse_unknown_metrics(line, json.at(key));
  }
  CellRecord read = line.reading([&] {
    CellRecord record{json.get<Cell>(), json.get<CellOutcome>()};
    check_id(json, record.cell);
    if (!header.testbeds.contains(record.cell.device)) {
      throw UsageError("line 1 names no testbed for device " + record.cell.device);
    }
    return record;
  });
  for (const Promise& promise : read.outcome.promises) {
    refuse_unknown_metrics(line, {{promise.metric, 0}});
  }
  return read;
}

[[noreturn]] void fail_to_write(const std::filesystem::path& path) {
  throw UsageError(
      fmt::format("cannot write {}: {}", path.string(), std::strerror(errno != 0 ? errno : EIO)));
}

bool is_half_written(const JsonLine& line) {
  return !line.ended && !nlohmann::json::accept(line.text);
}

}  // namespace

std::string header_line(const RunHeader& header) {
  OrderedJson json;
  json["schema"] = kRecordSchema;
  json["suite"] = header.suite;
  json["created"] = header.created;
  json["testbed"] = nlohmann::json(header.testbeds);
  json["versions"] = header.versions;
  json["settings"] = header.settings;
  return one_line(json);
}

std::string cell_line(const CellRecord& record) {
  const nlohmann::json cell = record.cell;
  const nlohmann::json outcome = record.outcome;
  OrderedJson json;
  json["cell"] = cell_id(record.cell);
  for (const CellField& field : cell_fields()) {
    if (const std::string name(field.name); cell.contains(name)) json[name] = cell.at(name);
  }
  for (const char* key : kOutcomeKeys) json[key] = outcome.at(key);
  return one_line(json);
}

RecordWriter::RecordWriter(std::filesystem::path path)
    : path_(std::move(path)), file_(path_, std::ios::app | std::ios::binary) {
  if (!file_) fail_to_write(path_);
}

RecordWriter::RecordWriter(std::filesystem::path path, const RunHeader& header)
    : RecordWriter(std::move(path)) {
  append_line(header_line(header));
}

void RecordWriter::append(const CellRecord& record) { append_line(cell_line(record)); }

void RecordWriter::append_line(const std::string& line) {
  errno = 0;
  file_ << line + "\n" << std::flush;
  if (!file_) fail_to_write(path_);
}

RunRecord read_run(const std::filesystem::path& path) {
  const auto file = std::filesystem::is_directory(path) ? records_path(path) : path;
  const std::string text = read_file(file);
  const auto lines = json_lines(file, text);
  if (lines.empty())
    throw UsageError(file.string() +
                     " is empty: a run writes its header first; start a new "
                     "one with `highwater run`");
  RunRecord run{read_header(lines.front()), {}, {}};
  std::set<std::string> seen;
  for (const JsonLine& line : std::span(lines).subspan(1)) {
    if (is_half_written(line)) {
      run.warnings.push_back(
          fmt::format("{}:{}: the last line is half written (interrupted run?); "
                      "it is left out",
                      file.string(), line.number));
      break;
    }
    run.cells.push_back(read_cell(line, run.header));
    const std::string id = cell_id(run.cells.back().cell);
    if (!seen.insert(id).second) line.refuse("cell \"" + id + "\" stands twice");
  }
  return run;
}

bool is_narrowed(const RunHeader& header) {
  const nlohmann::json& settings = header.settings;
  if (!settings.is_object()) throw UsageError("settings must be an object");
  if (!settings.contains("selection")) return false;
  const nlohmann::json& selection = settings.at("selection");
  if (!selection.is_object()) throw UsageError("settings.selection must be an object");
  if (!selection.contains("narrowed")) return false;
  const nlohmann::json& narrowed = selection.at("narrowed");
  if (!narrowed.is_boolean()) throw UsageError("settings.selection.narrowed must be true or false");
  return narrowed.get<bool>();
}

std::optional<std::vector<std::string>> planned_cells(const RunHeader& header) {
  const auto found = header.settings.find("planned_cells");
  if (found == header.settings.end()) return std::nullopt;
  const bool ids = found->is_array() &&
                   std::ranges::all_of(*found, [](const auto& id) { return id.is_string(); });
  if (!ids) throw UsageError("settings.planned_cells must be a list of cell ids");
  return found->get<std::vector<std::string>>();
}

bool is_complete(const RunRecord& run) {
  const auto planned = planned_cells(run.header);
  return planned && std::ranges::all_of(*planned, [&](const std::string& id) {
           return find_record(run, id) != nullptr;
         });
}

std::optional<std::int64_t> metric_of(const CellRecord* record, const std::string& id) {
  if (record == nullptr) return std::nullopt;
  const auto found = record->outcome.metrics.find(id);
  return found == record->outcome.metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Ends> ends_of(const CellRecord* record, const std::string& id) {
  const auto low = metric_of(record, id);
  if (!low) return std::nullopt;
  const auto high = record->outcome.high.find(id);
  return high == record->outcome.high.end() ? Ends{*low} : Ends{*low, high->second};
}

const CellRecord* find_record(const RunRecord& run, std::string_view cell) {
  const auto found = std::ranges::find_if(
      run.cells, [&](const CellRecord& record) { return cell_id(record.cell) == cell; });
  return found == run.cells.end() ? nullptr : &*found;
}

}  // namespace highwater
