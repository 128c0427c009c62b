#include "harness/core/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace highwater {
namespace {

constexpr std::size_t kMostSuggestions = 3;

// Levenshtein's distance, one row of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

bool contains(std::string_view whole, std::string_view part) {
  return !part.empty() && whole.find(part) != std::string_view::npos;
}

std::string quoted_list(const std::vector<std::string>& names, std::string_view separator) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back('"' + name + '"');
  return fmt::format("{}", fmt::join(quoted, separator));
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& valid) {
  const std::size_t reach = std::max<std::size_t>(2, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : valid) {
    const std::size_t distance = edit_distance(word, name);
    if (distance <= reach || contains(name, word) || contains(word, name)) {
      found.emplace_back(distance, name);
    }
  }
  std::ranges::sort(found);
  found.resize(std::min(found.size(), kMostSuggestions));
  std::vector<std::string> names;
  for (auto& [distance, name] : found) names.push_back(std::move(name));
  return names;
}

std::string unknown_name(std::string_view kind, std::string_view word,
                         const std::vector<std::string>& valid) {
  const auto near = nearest(word, valid);
  if (!near.empty()) {
    return fmt::format("unknown {} \"{}\"; did you mean {}?", kind, word,
                       quoted_list(near, " or "));
  }
  if (valid.empty()) return fmt::format("unknown {} \"{}\"; there are none", kind, word);
  return fmt::format("unknown {} \"{}\"; valid: {}", kind, word, quoted_list(valid, ", "));
}

}  // namespace highwater
