#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace highwater {

/// A count of bytes. Signed, so that differences need no care; every metric is one of these.
using Bytes = std::int64_t;

namespace literals {
constexpr Bytes operator""_KiB(unsigned long long n) { return static_cast<Bytes>(n) << 10; }
constexpr Bytes operator""_MiB(unsigned long long n) { return static_cast<Bytes>(n) << 20; }
constexpr Bytes operator""_GiB(unsigned long long n) { return static_cast<Bytes>(n) << 30; }
}  // namespace literals

/// Binary units for people: "512 B", "4.0 MiB", "11.36 GiB", "-1.5 KiB".
std::string format_bytes(Bytes bytes);

/// As format_bytes, with an explicit sign: "+4.0 MiB", "0 B".
std::string format_bytes_change(Bytes bytes);

/// a - b, held within what Bytes can say: numbers from files may lie at both ends.
Bytes difference(Bytes a, Bytes b);

/// Digits grouped by three: 1073741824 -> "1,073,741,824".
std::string group_digits(Bytes bytes);

/// Parses "500MiB", "1.5 GiB", "4096 B", "4096". Decimal units (KB, MB, GB) are refused, because
/// readers disagree about them.
/// @throws UsageError naming the text and the accepted units.
Bytes parse_bytes(std::string_view text);

}  // namespace highwater
