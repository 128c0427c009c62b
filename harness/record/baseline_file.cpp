#include "harness/record/baseline_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <tuple>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/measure/metric.hpp"
#include "harness/record/json_lines.hpp"
#include "harness/run/outcome.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

auto key(const BaselineRow& row) { return std::tie(row.cell, row.metric); }

std::string row_line(const BaselineRow& row) {
  OrderedJson json;
  json["cell"] = row.cell;
  json["metric"] = row.metric;
  json["value"] = row.value.low;
  if (row.value.high) json["high"] = *row.value.high;
  json["anchor"] = row.anchor.value();
  json["tolerance"] = row.tolerance;
  json["date"] = row.date;
  json["reason"] = row.reason;
  return json.dump();
}

void check_matches_path(const JsonLine& line, std::string_view what, const std::string& said,
                        const std::string& path_says) {
  if (said == path_says) return;
  line.refuse(
      fmt::format("{} is \"{}\", but the file lies under \"{}\"; move it back, or accept a "
                  "baseline of this testbed anew",
                  what, said, path_says));
}

void refuse_older_schema(const JsonLine& line, const nlohmann::json& json) {
  const auto schema = json.value("schema", nlohmann::json());
  if (schema != "highwater.baseline/1" && schema != "highwater.baseline/2") return;
  line.refuse(
      fmt::format("schema is {}, whose rows have no anchor and no tolerance; this program reads "
                  "\"{}\": remove the file and run `highwater baseline accept RUN --reason TEXT`",
                  schema.dump(), kBaselineSchema));
}

BaselineFile read_first_line(const JsonLine& line) {
  refuse_conflict_marker(line);
  const nlohmann::json json = line.parse();
  refuse_older_schema(line, json);
  check_schema(line, json, kBaselineSchema);
  refuse_unknown_keys(line, json, {"schema", "testbed", "suite"});
  auto file = line.reading([&] {
    return BaselineFile{
        json.at("testbed").get<std::string>(), json.at("suite").get<std::string>(), {}, {}};
  });
  check_plain_name(line, "testbed", file.testbed);
  check_plain_name(line, "suite", file.suite);
  check_matches_path(line, "testbed", file.testbed, line.file.parent_path().filename().string());
  check_matches_path(line, "suite", file.suite, line.file.stem().string());
  return file;
}

Ends read_ends(const nlohmann::json& json, const std::string& metric) {
  Ends ends{read_metric_value("value", metric, json.at("value"))};
  if (json.contains("high")) ends.high = read_metric_value("high", metric, json.at("high"));
  return ends;
}

std::int64_t read_anchor(const nlohmann::json& json, const std::string& metric, const Ends& value) {
  const std::int64_t anchor = read_metric_value("anchor", metric, json.at("anchor"));
  if (anchor <= value.low) return anchor;
  throw UsageError(
      fmt::format("anchor {} lies above value {}; it is the lowest level that was accepted since "
                  "somebody approved one, so write the value",
                  anchor, value.low));
}

std::int64_t read_tolerance(const nlohmann::json& json) {
  // Read as a peak, which cannot be negative either.
  return read_metric_value("tolerance", "peak_allocated_bytes", json.at("tolerance"));
}

// One would begin a line of its own in what is printed.
void refuse_control_characters(const JsonLine& line, const std::string& cell) {
  const bool found = std::ranges::any_of(cell, [](unsigned char c) { return c < ' ' || c == 127; });
  if (found) line.refuse("cell \"" + cell + "\" holds control characters; it is no cell's id");
}

BaselineRow read_row(const JsonLine& line) {
  refuse_conflict_marker(line);
  const nlohmann::json json = line.parse();
  refuse_unknown_keys(line, json,
                      {"cell", "metric", "value", "high", "anchor", "tolerance", "date", "reason"});
  const auto row = line.reading([&] {
    const auto metric = json.at("metric").get<std::string>();
    const Ends value = read_ends(json, metric);
    return BaselineRow{.cell = json.at("cell").get<std::string>(),
                       .metric = metric,
                       .value = value,
                       .anchor = read_anchor(json, metric, value),
                       .tolerance = read_tolerance(json),
                       .date = json.at("date").get<std::string>(),
                       .reason = json.at("reason").get<std::string>()};
  });
  refuse_unknown_metrics(line, {{row.metric, row.value.low}});
  refuse_control_characters(line, row.cell);
  return row;
}

void check_order(const JsonLine& line, const BaselineRow& before, const BaselineRow& row) {
  if (key(before) < key(row)) return;
  const bool twice = key(before) == key(row);
  line.refuse(fmt::format("{} of {} {}", row.metric, row.cell,
                          twice ? "stands twice; keep one of the two lines"
                                : "is out of order; rows are sorted by cell, then metric"));
}

}  // namespace

fs::path baseline_path(const fs::path& folder, std::string_view testbed, std::string_view suite) {
  return folder / testbed / fmt::format("{}.jsonl", suite);
}

std::string baseline_text(BaselineFile file) {
  std::ranges::sort(file.rows, {}, key);
  OrderedJson first;
  first["schema"] = kBaselineSchema;
  first["testbed"] = file.testbed;
  first["suite"] = file.suite;
  std::string text = first.dump() + "\n";
  for (const BaselineRow& row : file.rows) text += row_line(row) + "\n";
  return text;
}

BaselineFile read_baseline(const fs::path& path) {
  const std::string text = read_file(path);
  const auto lines = json_lines(path, text);
  if (lines.empty())
    throw UsageError(path.string() +
                     ":1: the file is empty; restore it, or remove it and accept a run");
  BaselineFile file = read_first_line(lines.front());
  for (const JsonLine& line : std::span(lines).subspan(1)) {
    BaselineRow row = read_row(line);
    if (!file.rows.empty()) check_order(line, file.rows.back(), row);
    file.rows.push_back(std::move(row));
  }
  return file;
}

std::map<std::string, BaselineFile> read_baselines(const fs::path& folder, std::string_view suite) {
  std::map<std::string, BaselineFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string testbed = entry.path().filename().string();
    const fs::path path = baseline_path(folder, testbed, suite);
    if (!fs::exists(path)) continue;
    BaselineFile& file = files.emplace(testbed, read_baseline(path)).first->second;
    file.profiles = read_profiles(profiles_path(folder, testbed, suite));
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw UsageError(
        fmt::format("cannot read baselines in {}: {}", folder.string(), error.message()));
  }
  return files;
}

}  // namespace highwater
