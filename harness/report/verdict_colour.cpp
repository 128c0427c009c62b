#include "harness/report/verdict_colour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace highwater {
namespace {

std::string_view colour_of(const std::string& verdict) {
  constexpr std::string_view kRed = "\033[31m";
  constexpr std::string_view kGreen = "\033[32m";
  const std::string word = verdict.substr(0, verdict.find(':'));
  if (word == "unchanged" || word == "improved") return kGreen;
  constexpr std::array kBad = {"regressed", "failed",    "unsteady",     "missing",
                               "incorrect", "timed_out", "out_of_memory"};
  return std::ranges::find(kBad, word) != kBad.end() ? kRed : std::string_view();
}

}  // namespace

std::string coloured_text(const Table& table) {
  const std::string text = to_text(table);
  const std::size_t head = table.title.empty() ? 1 : 2;  // title and headings
  std::string result;
  std::size_t start = 0;
  for (std::size_t line = 0; start < text.size(); ++line) {
    const std::size_t end = text.find('\n', start);
    const bool is_row = line >= head && line - head < table.rows.size();
    const auto colour = is_row ? colour_of(table.rows[line - head].back()) : std::string_view();
    const std::string content = text.substr(start, end - start);
    result += colour.empty() ? content : fmt::format("{}{}\033[0m", colour, content);
    result += '\n';
    start = end + 1;
  }
  return result;
}

}  // namespace highwater
