#include "harness/record/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"
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

}  // namespace

void JsonLine::refuse(const std::string& message) const {
  throw UsageError(fmt::format("{}:{}: {}", file.string(), number, message));
}

nlohmann::json JsonLine::parse() const {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) refuse("not a JSON object; mend or remove the line");
  return json;
}

std::vector<JsonLine> json_lines(const std::filesystem::path& file, std::string_view text) {
  std::vector<JsonLine> lines;
  for (std::size_t start = 0, number = 1; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back({file, number, text.substr(start, end - start), end < text.size()});
    start = end + 1;
  }
  while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
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

void refuse_unknown_metrics(const JsonLine& line, const nlohmann::json& json) {
  refuse_unknown(line, json, "metric", metric_ids());
}

}  // namespace highwater
