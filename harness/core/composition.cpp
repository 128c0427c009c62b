#include "harness/core/composition.hpp"

#include <charconv>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

std::int64_t parse_value(const std::string& term, const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  if (is_whole && std::to_string(value) == text) return value;  // one spelling, one cell id
  throw UsageError("technique \"" + term + "\": what follows the colon is not a whole number");
}

TechniqueTerm parse_term(const std::string& term) {
  const std::size_t colon = term.find(':');
  if (colon == std::string::npos) return {.name = term, .value = {}};
  return {.name = term.substr(0, colon), .value = parse_value(term, term.substr(colon + 1))};
}

}  // namespace

std::vector<TechniqueTerm> parse_composition(const std::string& composition) {
  std::vector<TechniqueTerm> terms;
  std::size_t start = 0;
  for (std::size_t plus = 0; plus != std::string::npos; start = plus + 1) {
    plus = composition.find('+', start);
    terms.push_back(parse_term(composition.substr(start, plus - start)));
  }
  return terms;
}

}  // namespace highwater
