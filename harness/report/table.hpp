#pragma once

#include <string>
#include <vector>

namespace highwater {

enum class Align { left, right };

struct Column {
  std::string heading;
  Align align = Align::left;
};

/// A table of text, before anyone decides how it looks. Every row has one entry per column. A table
/// of notes alone shows no headings.
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  ///< sentences under it
};

/// Columns padded to their widest entry (counted in UTF-8 characters), two spaces apart; no blanks
/// at the end of a line.
std::string to_text(const Table& table);

/// A pipe table under a "### title" line; pipes and line ends inside entries are escaped.
std::string to_markdown(const Table& table);

}  // namespace highwater
