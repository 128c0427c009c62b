#include "harness/core/bytes.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

struct ByteUnit {
  std::string_view name;
  int shift;
  int decimals;
};

constexpr std::array kUnits = {ByteUnit{"B", 0, 0}, ByteUnit{"KiB", 10, 1}, ByteUnit{"MiB", 20, 1},
                               ByteUnit{"GiB", 30, 2}, ByteUnit{"TiB", 40, 2}};

double rounded(double magnitude, const ByteUnit& unit) {
  const double scale = std::pow(10.0, unit.decimals);
  return std::round(std::ldexp(magnitude, -unit.shift) * scale) / scale;
}

// The unit is chosen after rounding, or 1048575 bytes would read "1024.0 KiB".
const ByteUnit& unit_for(double magnitude) {
  std::size_t i = 0;
  while (i + 1 < kUnits.size() && rounded(magnitude, kUnits[i]) >= 1024) ++i;
  return kUnits[i];
}

[[noreturn]] void refuse(std::string_view text) {
  throw UsageError(fmt::format(
      "cannot read \"{}\" as a size: write a whole number of bytes, or a number with B, KiB, MiB, "
      "GiB or TiB, such as 500MiB (decimal units are refused: readers disagree about them)",
      text));
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

int shift_of(std::string_view unit, std::string_view text) {
  if (unit.empty()) return 0;
  for (const ByteUnit& row : kUnits) {
    if (row.name == unit) return row.shift;
  }
  refuse(text);
}

}  // namespace

std::string format_bytes(Bytes bytes) {
  const double magnitude = std::abs(static_cast<double>(bytes));
  const ByteUnit& unit = unit_for(magnitude);
  return fmt::format("{}{:.{}f} {}", bytes < 0 ? "-" : "", rounded(magnitude, unit), unit.decimals,
                     unit.name);
}

std::string format_bytes_change(Bytes bytes) {
  return (bytes > 0 ? "+" : "") + format_bytes(bytes);
}

Bytes difference(Bytes a, Bytes b) {
  Bytes result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a > b ? std::numeric_limits<Bytes>::max() : std::numeric_limits<Bytes>::min();
}

std::string group_digits(Bytes bytes) {
  std::string text = fmt::format("{}", bytes);
  const std::size_t first = bytes < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

Bytes parse_bytes(std::string_view text) {
  const std::string_view whole = trimmed(text);
  const std::size_t end = std::min(whole.find_first_not_of("0123456789."), whole.size());
  const std::string_view digits = whole.substr(0, end);
  const int shift = shift_of(trimmed(whole.substr(end)), text);
  double number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                             std::chars_format::fixed);
  if (error != std::errc() || rest != digits.data() + digits.size()) refuse(text);
  const double value = std::ldexp(number, shift);
  const bool broken_byte = shift == 0 && value != std::floor(value);
  if (broken_byte || value >= static_cast<double>(std::numeric_limits<Bytes>::max())) refuse(text);
  if (digits.find('.') != std::string_view::npos) return static_cast<Bytes>(value);
  // Whole numbers stay integers: a double holds only 53 bits of them.
  Bytes exact = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), exact);
  return exact << shift;
}

}  // namespace highwater
