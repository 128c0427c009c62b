#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace highwater {

/// A whole JSON file, indented; bytes that are no UTF-8 as U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

/// The same in one line, for what is too long to be looked at.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace highwater
