#include "harness/report/ends_text.hpp"

#include <algorithm>

namespace highwater {

std::string ends_text(const Ends& ends, const std::function<std::string(std::int64_t)>& text) {
  const auto [least, most] = std::minmax({ends.low, ends.highest()});
  const std::string from = text(least);
  const std::string to = text(most);
  return from == to ? from : from + " to " + to;
}

}  // namespace highwater
