#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace highwater {

/// One line of a file, with what its errors need.
struct JsonLine {
  const std::filesystem::path& file;
  std::size_t number;  ///< from 1
  std::string_view text;
  bool ended;  ///< whether a line end follows

  /// "file:number: message".
  [[noreturn]] void refuse(const std::string& message) const;
  /// @throws UsageError where the text is not one JSON object, a key of it stands twice, values
  /// are nested too deep, the line is blank, or it ends in CR LF.
  nlohmann::json parse() const;
  /// Runs `read` and turns what it throws into an error of this line.
  template <typename Read>
  auto reading(Read read) const;
};

/// What a library says about a value, without the number of its error.
std::string plain_words(const std::exception& error);

/// Lines of a text that stays alive.
std::vector<JsonLine> json_lines(const std::filesystem::path& file, std::string_view text);

/// @throws UsageError (of the line) where `json` has a key outside `known`, with the nearest ones.
void refuse_unknown_keys(const JsonLine& line, const nlohmann::json& json,
                         const std::vector<std::string>& known);

/// @throws UsageError (of the line) where it is what git leaves of a conflict in a baseline.
void refuse_conflict_marker(const JsonLine& line);

/// @throws UsageError (of the line) where "schema" is not `schema`; says which one is read,
/// and to upgrade where the file's is newer.
void check_schema(const JsonLine& line, const nlohmann::json& json, std::string_view schema);

/// @throws UsageError (of the line) where `text` could not name a file (core/files.hpp): a record
/// must not decide where baselines are written.
void check_plain_name(const JsonLine& line, std::string_view what, const std::string& text);

/// @throws UsageError (of the line) where a key of `json` is not a metric.
void refuse_unknown_metrics(const JsonLine& line, const nlohmann::json& json);

template <typename Read>
auto JsonLine::reading(Read read) const {
  try {
    return read();
  } catch (const std::exception& error) {
    refuse(plain_words(error));
  }
}

}  // namespace highwater
