#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace highwater {

/// One technique of a composition: "gradient_accumulation:8" names it and sets its number.
struct TechniqueTerm {
  std::string name;
  std::optional<std::int64_t> value;  ///< absent = the technique's own
};

/// "a+b:2" -> {a}, {b, 2}. Names are not looked up.
/// @throws UsageError where what follows a colon is not a whole number as one writes it.
std::vector<TechniqueTerm> parse_composition(const std::string& composition);

}  // namespace highwater
