#include "harness/export/markup.hpp"

#include <nlohmann/json.hpp>

namespace highwater {
namespace {

// The JSON library replaces what is no UTF-8.
std::string well_formed(std::string_view text) {
  const nlohmann::json json = std::string(text);
  return nlohmann::json::parse(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
      .get<std::string>();
}

/// Bytes of the code point that begins well-formed `text`.
std::string_view first_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  return text.substr(0, lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
}

char32_t value_of(std::string_view point) {
  const auto lead = static_cast<unsigned char>(point.front());
  if (point.size() == 1) return lead;
  char32_t value = lead & (0x7FU >> point.size());
  for (const char byte : point.substr(1)) {
    value = value << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  return value;
}

bool is_dropped(char32_t point) {
  const bool control = point < 0x20 || (point >= 0x7F && point <= 0x9F);
  const bool line_end = point == 0x2028 || point == 0x2029;
  const bool direction = point == 0x200E || point == 0x200F || point == 0x061C ||
                         (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069);
  return control || line_end || direction || point == 0xFFFE || point == 0xFFFF;
}

std::string written(std::string_view point) {
  switch (point.front()) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\t':
    case '\n':
    case '\r':
      return " ";
    default:
      return is_dropped(value_of(point)) ? "" : std::string(point);
  }
}

}  // namespace

std::string markup_text(std::string_view text) {
  const std::string safe = well_formed(text);
  std::string result;
  for (std::string_view rest = safe; !rest.empty();) {
    const std::string_view point = first_point(rest);
    result += written(point);
    rest.remove_prefix(point.size());
  }
  return result;
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string safe = well_formed(text);
  std::string_view rest = safe;
  std::size_t kept = 0;  // bytes of the first most - 1
  for (std::size_t points = 0; !rest.empty(); ++points) {
    if (points == most) return safe.substr(0, kept) + "…";
    if (points + 1 == most) kept = safe.size() - rest.size();
    rest.remove_prefix(first_point(rest).size());
  }
  return safe;
}

}  // namespace highwater
