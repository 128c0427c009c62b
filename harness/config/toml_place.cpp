#include "harness/config/toml_place.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {

void Place::refuse(const std::string& message) const {
  throw UsageError(fmt::format("{}:{}: {}: {}", file, node.source().begin.line, path, message));
}

void Place::refuse_key(const toml::key& key, const std::vector<std::string>& known) const {
  const std::string inner =
      path.empty() ? std::string(key.str()) : fmt::format("{}.{}", path, key.str());
  throw UsageError(fmt::format("{}:{}: {}: {}", file, key.source().begin.line, inner,
                               unknown_name("key", key.str(), known)));
}

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

std::string read_text(const Place& at) {
  const auto text = at.node.value_exact<std::string>();
  if (!text || text->empty()) at.refuse("must be a text that is not empty");
  return *text;
}

Bytes read_size(const Place& at) {
  const std::string text = read_text(at);
  try {
    return parse_bytes(text);
  } catch (const UsageError& error) {
    at.refuse(error.what());
  }
}

}  // namespace highwater
