#include "harness/record/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/nearest.hpp"
#include "harness/measure/metric.hpp"

namespace highwater {
namespace {

void refuse_unknown(const JsonLine& line, const nlohmann::json& json, std::string_view kind,
                    const std::vector<std::string>& known) {
  if (!json.is_object()) line.refuse(fmt::format("expected an object, found {}", json.dump()));
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) line.refuse(unknown_name(kind, key, known));
  }
}

/// The library keeps the last of two equal keys and says nothing.
nlohmann::json::parser_callback_t finds_doubled_key(std::string& doubled) {
  return [&doubled, open = std::vector<std::set<std::string>>()](
             int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) mutable {
    using enum nlohmann::json::parse_event_t;
    if (event == object_start) open.emplace_back();
    if (event == object_end) open.pop_back();
    if (event == key && !open.back().insert(parsed.get<std::string>()).second) {
      doubled = parsed.get<std::string>();
    }
    return true;
  };
}

}  // namespace

std::string plain_words(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.starts_with("[json.exception") ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : "a value cannot be read: " + text.substr(end + 2);
}

void JsonLine::refuse(const std::string& message) const {
  throw UsageError(fmt::format("{}:{}: {}", file.string(), number, message));
}

nlohmann::json JsonLine::parse() const {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
    refuse("the line is blank; remove it");
  }
  if (text.ends_with('\r')) refuse("the line ends in CR LF; convert the file to LF");
  std::string doubled;
  nlohmann::json json = nlohmann::json::parse(text, finds_doubled_key(doubled), false);
  if (!json.is_object()) refuse("not a JSON object; mend or remove the line");
  if (!doubled.empty()) refuse(fmt::format("key \"{}\" stands twice; keep one", doubled));
  return json;
}

std::vector<JsonLine> json_lines(const std::filesystem::path& file, std::string_view text) {
  std::vector<JsonLine> lines;
  for (std::size_t start = 0, number = 1; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back({file, number, text.substr(start, end - start), end < text.size()});
    start = end + 1;
  }
  return lines;
}

void refuse_unknown_keys(const JsonLine& line, const nlohmann::json& json,
                         const std::vector<std::string>& known) {
  refuse_unknown(line, json, "key", known);
}

void check_schema(const JsonLine& line, const nlohmann::json& json, std::string_view schema) {
  const std::string found = json.contains("schema") ? json.at("schema").dump() : "none";
  if (found == fmt::format("\"{}\"", schema)) return;
  line.refuse(fmt::format(
      "schema is {}, but this program reads \"{}\"; use the program that wrote the file", found,
      schema));
}

void check_plain_name(const JsonLine& line, std::string_view what, const std::string& text) {
  if (is_plain_name(text)) return;
  line.refuse(
      fmt::format("{} \"{}\" may hold letters, digits and . _ + - only, and is neither . "
                  "nor ..",
                  what, text));
}

void refuse_unknown_metrics(const JsonLine& line, const nlohmann::json& json) {
  refuse_unknown(line, json, "metric", metric_ids());
}

void refuse_conflict_marker(const JsonLine& line) {
  for (const char* marker : {"<<<<<<<", "=======", ">>>>>>>", "|||||||"}) {
    if (line.text.starts_with(marker)) {
      line.refuse(
          "merge-conflict marker: keep one side of each row, or take one side of the file "
          "and run `highwater baseline accept RUN --reason TEXT`");
    }
  }
}

}  // namespace highwater
