#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace highwater {

/// Values of one cell by metric id. Absent means not measured on that device; zero means zero.
using Measurement = std::map<std::string, std::int64_t>;

/// A number with the lowest sizes that only a real device knows and, where it differs, the highest.
struct Ends {
  std::int64_t low;
  std::optional<std::int64_t> high;  ///< absent where equal; may be the smaller number

  /// Implicit: most numbers are known.
  Ends(std::int64_t number = 0) : low(number) {}
  Ends(std::int64_t low_end, std::optional<std::int64_t> high_end) : low(low_end), high(high_end) {}

  std::int64_t highest() const { return high.value_or(low); }  ///< with the highest sizes
  bool operator==(const Ends&) const = default;
};

}  // namespace highwater
