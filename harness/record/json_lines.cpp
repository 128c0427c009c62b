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

constexpr int kDeepest = 64;  // a record's own values are nested four times

void refuse_unknown(const JsonLine& line, const nlohmann::json& json, std::string_view kind,
                    const std::vector<std::string>& known) {
  if (!json.is_object()) line.refuse(fmt::format("expected an object, found {}", json.dump()));
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) line.refuse(unknown_name(kind, key, known));
  }
}

/// The library keeps the last of two equal keys and says nothing, and a copy of a value nested a
/// hundred thousand times overflows the stack.
nlohmann::json::parser_callback_t checks(const JsonLine& line, std::string& doubled) {
  using Event = nlohmann::json::parse_event_t;
  return [&line, &doubled, open = std::vector<std::set<std::string>>()](
             int depth, Event event, nlohmann::json& parsed) mutable {
    if (depth > kDeepest) line.refuse("values are nested too deep; mend or remove the line");
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second) {
      doubled = parsed.get<std::string>();
    }
    return true;
  };
}

struct Schema {
  std::string_view family;  ///< with its slash
  std::string_view number;
};

Schema split(std::string_view schema) {
  const std::size_t number = schema.find('/') + 1;
  return {schema.substr(0, number), schema.substr(number)};
}

/// Whole numbers without leading zeros, of any length.
bool is_greater(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

bool is_newer(const nlohmann::json& found, std::string_view schema) {
  if (!found.is_string()) return false;
  const auto text = found.get<std::string>();
  const auto [family, number] = split(text);
  const bool whole = !number.empty() && number[0] != '0' &&
                     number.find_first_not_of("0123456789") == std::string_view::npos;
  return whole && family == split(schema).family && is_greater(number, split(schema).number);
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
  nlohmann::json json = nlohmann::json::parse(text, checks(*this, doubled), false);
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
  const nlohmann::json found = json.value("schema", nlohmann::json());
  if (found == schema) return;
  line.refuse(fmt::format("schema is {}, but this program reads \"{}\"; {}",
                          found.is_null() ? "none" : found.dump(), schema,
                          is_newer(found, schema)
                              ? "a newer Highwater wrote the file: upgrade this one, then try again"
                              : "use the program that wrote the file"));
}

void check_plain_name(const JsonLine& line, std::string_view what, const std::string& text) {
  if (is_plain_name(text)) return;
  line.refuse(
      fmt::format("{} \"{}\" may hold up to {} letters, digits and . _ + - only, and is neither . "
                  "nor ..",
                  what, text, kLongestPlainName));
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
