#include "harness/export/json_text.hpp"

namespace highwater {

using enum nlohmann::json::error_handler_t;

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, replace) + "\n";
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, replace) + "\n";
}

}  // namespace highwater
