#include "harness/config/toml_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {
namespace {

constexpr std::size_t kLongestLine = 4096;

// A key of a hundred thousand dotted parts makes as many tables inside each other, and dropping
// them overflows the stack. A key ends with its line.
void refuse_long_lines(std::string_view text, const std::string& file) {
  for (std::size_t start = 0, number = 1; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end - start > kLongestLine) {
      throw UsageError(fmt::format("{}:{}: the line is longer than {} bytes; break it up", file,
                                   number, kLongestLine));
    }
    start = end + 1;
  }
}

}  // namespace

void Place::refuse(const std::string& message) const {
  throw UsageError(fmt::format("{}:{}: {}: {}", file, node.source().begin.line, path, message));
}

void Place::refuse_key(const toml::key& key, const std::vector<std::string>& known) const {
  const std::string inner =
      path.empty() ? std::string(key.str()) : fmt::format("{}.{}", path, key.str());
  throw UsageError(fmt::format("{}:{}: {}: {}", file, key.source().begin.line, inner,
                               unknown_name("key", key.str(), known)));
}

void break_off_toml(const char* condition) { throw std::logic_error(condition); }

toml::table parse_toml(std::string_view text, const std::string& file) {
  refuse_long_lines(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  } catch (const std::logic_error& broken) {
    throw UsageError(
        fmt::format("{} is not TOML: its parser broke off at {}", file, broken.what()));
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
