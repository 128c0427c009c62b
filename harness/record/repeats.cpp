#include "harness/record/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/json_lines.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

bool stands_once(const std::vector<std::int64_t>& values, int rounds) {
  return std::ssize(values) == rounds && std::ranges::count(values, values.front()) == rounds;
}

OrderedJson series_json(const Series& series, int rounds) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [metric, values] : series) {
    json[metric] = stands_once(values, rounds) ? OrderedJson(values.front()) : OrderedJson(values);
  }
  return json;
}

OrderedJson first_line(const Repeats& repeats) {
  OrderedJson json;
  json["schema"] = kNoiseSchema;
  json["suite"] = repeats.suite;
  json["created"] = repeats.created;
  json["rounds"] = repeats.rounds;
  json["testbed"] = nlohmann::json(repeats.testbeds);
  json["versions"] = repeats.versions;
  return json;
}

OrderedJson line_of(const RepeatedCell& cell, int rounds) {
  OrderedJson json;
  json["cell"] = cell.cell;
  json["metrics"] = series_json(cell.metrics, rounds);
  json["high"] = series_json(cell.high, rounds);
  json["failures"] = cell.failures;
  return json;
}

// Last words of a process need not be UTF-8.
std::string one_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Repeats read_first_line(const JsonLine& line) {
  const nlohmann::json json = line.parse();
  check_schema(line, json, kNoiseSchema);
  refuse_unknown_keys(line, json, {"schema", "suite", "created", "rounds", "testbed", "versions"});
  const auto rounds = line.reading([&] { return json.at("rounds").get<std::int64_t>(); });
  if (rounds < 2 || rounds > kMostRounds) {
    line.refuse(fmt::format("{} rounds; a study has 2 to {}", rounds, kMostRounds));
  }
  return line.reading([&] {
    Repeats repeats;
    json.at("suite").get_to(repeats.suite);
    json.at("created").get_to(repeats.created);
    repeats.rounds = static_cast<int>(rounds);
    json.at("testbed").get_to(repeats.testbeds);
    json.at("versions").get_to(repeats.versions);
    return repeats;
  });
}

std::vector<std::int64_t> read_values(const std::string& metric, const nlohmann::json& json,
                                      int rounds) {
  if (!json.is_array()) {
    return std::vector<std::int64_t>(rounds, read_metric_value(metric, metric, json));
  }
  if (json.empty() || json.size() > static_cast<std::size_t>(rounds)) {
    throw UsageError(
        fmt::format("{} has {} values, but there were {} rounds", metric, json.size(), rounds));
  }
  std::vector<std::int64_t> values;
  for (const auto& value : json) values.push_back(read_metric_value(metric, metric, value));
  return values;
}

Series read_series(const JsonLine& line, const nlohmann::json& json, int rounds) {
  refuse_unknown_metrics(line, json);
  Series series;
  for (const auto& item : json.items()) {
    series[item.key()] =
        line.reading([&] { return read_values(item.key(), item.value(), rounds); });
  }
  return series;
}

RepeatedCell read_cell(const JsonLine& line, const Repeats& repeats) {
  const nlohmann::json json = line.parse();
  refuse_unknown_keys(line, json, {"cell", "metrics", "high", "failures"});
  RepeatedCell cell = line.reading([&] {
    RepeatedCell read;
    json.at("cell").get_to(read.cell);
    json.at("failures").get_to(read.failures);
    if (!repeats.testbeds.contains(parse_cell_id(read.cell).device)) {
      throw UsageError("line 1 names no testbed for the device of " + read.cell);
    }
    if (!json.at("metrics").is_object() || !json.at("high").is_object()) {
      throw UsageError("metrics and high must be objects");
    }
    return read;
  });
  cell.metrics = read_series(line, json.at("metrics"), repeats.rounds);
  cell.high = read_series(line, json.at("high"), repeats.rounds);
  return cell;
}

}  // namespace

std::string repeats_text(const Repeats& repeats) {
  std::string text = one_line(first_line(repeats));
  for (const RepeatedCell& cell : repeats.cells) text += one_line(line_of(cell, repeats.rounds));
  return text;
}

Repeats read_repeats(const fs::path& file) {
  const std::string text = read_file(file);
  const auto lines = json_lines(file, text);
  if (lines.empty()) throw UsageError(file.string() + " is empty; restore it");
  Repeats repeats = read_first_line(lines.front());
  std::set<std::string> seen;
  for (const JsonLine& line : std::span(lines).subspan(1)) {
    repeats.cells.push_back(read_cell(line, repeats));
    const std::string& id = repeats.cells.back().cell;
    if (!seen.insert(id).second) line.refuse("cell \"" + id + "\" stands twice");
  }
  return repeats;
}

fs::path round_folder(const fs::path& folder, int number) {
  return folder / fmt::format("round-{}", number);
}

Rounds read_rounds(const fs::path& folder) {
  Rounds rounds;
  for (int i = 1; fs::exists(records_path(round_folder(folder, i))); ++i) {
    RunRecord run = read_run(round_folder(folder, i));
    if (is_complete(run)) {
      rounds.runs.push_back(std::move(run));
    } else {
      rounds.warnings.push_back(
          fmt::format("{} has not finished; it is left out", round_folder(folder, i).string()));
    }
  }
  if (rounds.runs.empty()) {
    throw UsageError(folder.string() +
                     " holds no finished round; name a folder that `highwater noise` wrote");
  }
  return rounds;
}

}  // namespace highwater
