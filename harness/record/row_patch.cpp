#include "harness/record/row_patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "harness/core/error.hpp"

namespace highwater {
namespace {

constexpr std::size_t kContext = 3;

struct Edit {
  char sign;  ///< ' ', '-' or '+'
  std::string_view line;
};

/// A run of edits: [begin, end) of all of them.
struct Hunk {
  std::size_t begin;
  std::size_t end;
};

/// With their ends, so that a last line without one is another line.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// Shared lines stand in the same order on both sides, so a merge needs no search.
std::vector<Edit> edits_between(std::string_view old_text, std::string_view new_text) {
  const auto before = lines_of(old_text);
  const auto after = lines_of(new_text);
  const std::set<std::string_view> kept(after.begin(), after.end());
  const std::set<std::string_view> had(before.begin(), before.end());
  std::vector<Edit> edits;
  auto next = after.begin();
  const auto add_until = [&](auto stop) {
    for (; next != after.end() && !stop(*next); ++next) edits.push_back({'+', *next});
  };
  for (const std::string_view line : before) {
    if (!kept.contains(line)) {
      edits.push_back({'-', line});
      continue;
    }
    add_until([&](std::string_view added) { return had.contains(added); });
    if (next == after.end() || *next != line) throw InternalError("rows changed their order");
    edits.push_back({' ', *next++});
  }
  add_until([](std::string_view) { return false; });
  return edits;
}

std::vector<Hunk> hunks_of(const std::vector<Edit>& edits) {
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].sign == ' ') continue;
    const std::size_t begin = i - std::min(i, kContext);
    const std::size_t end = std::min(i + 1 + kContext, edits.size());
    if (!hunks.empty() && begin <= hunks.back().end) {
      hunks.back().end = end;
    } else {
      hunks.push_back({begin, end});
    }
  }
  return hunks;
}

std::size_t count_without(const std::vector<Edit>& edits, Hunk range, char sign) {
  return static_cast<std::size_t>(
      std::count_if(edits.begin() + static_cast<std::ptrdiff_t>(range.begin),
                    edits.begin() + static_cast<std::ptrdiff_t>(range.end),
                    [&](const Edit& edit) { return edit.sign != sign; }));
}

/// "first,count" of one side; an empty side names the line before it.
std::string range_text(const std::vector<Edit>& edits, Hunk hunk, char other_sign) {
  const std::size_t count = count_without(edits, hunk, other_sign);
  const std::size_t before = count_without(edits, {0, hunk.begin}, other_sign);
  return fmt::format("{},{}", before + (count > 0 ? 1 : 0), count);
}

std::string hunk_text(const std::vector<Edit>& edits, Hunk hunk) {
  std::string text =
      fmt::format("@@ -{} +{} @@\n", range_text(edits, hunk, '+'), range_text(edits, hunk, '-'));
  for (std::size_t i = hunk.begin; i < hunk.end; ++i) {
    text += fmt::format("{}{}", edits[i].sign, edits[i].line);
    if (!edits[i].line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }
  return text;
}

// A tab ends a name with blanks, as git writes it.
std::string name_line(std::string_view mark, std::string_view side, const std::string& path) {
  const bool blank = path.find(' ') != std::string::npos;
  return fmt::format("{} {}/{}{}\n", mark, side, path, blank ? "\t" : "");
}

void check_path(const std::string& path) {
  const bool hostile = std::ranges::any_of(
      path, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '"' || c == '\\'; });
  if (!hostile) return;
  throw UsageError(fmt::format(
      "a patch cannot name {}: rename the folder (no quotes, backslashes, control characters)",
      path));
}

}  // namespace

std::string row_patch(const std::string& path, std::string_view old_text,
                      std::string_view new_text) {
  if (old_text == new_text) return {};
  check_path(path);
  const auto edits = edits_between(old_text, new_text);
  std::string text = old_text.empty() ? "--- /dev/null\n" : name_line("---", "a", path);
  text += name_line("+++", "b", path);
  for (const Hunk& hunk : hunks_of(edits)) text += hunk_text(edits, hunk);
  return text;
}

}  // namespace highwater
