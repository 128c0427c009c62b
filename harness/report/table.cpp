#include "harness/report/table.hpp"

#include <algorithm>

namespace highwater {
namespace {

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> headings(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.heading);
  return names;
}

std::vector<std::size_t> widths(const Table& table) {
  std::vector<std::size_t> widest;
  for (const Column& column : table.columns) widest.push_back(width(column.heading));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widest[i] = std::max(widest[i], width(row[i]));
  }
  return widest;
}

std::string text_line(const Table& table, const std::vector<std::string>& entries,
                      const std::vector<std::size_t>& widest) {
  std::string line;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string padding(widest[i] - width(entries[i]), ' ');
    const bool right = table.columns[i].align == Align::right;
    line += (i == 0 ? "" : "  ") + (right ? padding + entries[i] : entries[i] + padding);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string markdown_line(const std::vector<std::string>& entries) {
  std::string line = "|";
  for (const std::string& entry : entries) line += " " + escaped(entry) + " |";
  return line + "\n";
}

std::string markdown_head(const Table& table) {
  std::vector<std::string> rule;
  for (const Column& column : table.columns) {
    rule.emplace_back(column.align == Align::right ? "---:" : "---");
  }
  return markdown_line(headings(table)) + markdown_line(rule);
}

bool has_grid(const Table& table) { return !table.rows.empty() || table.notes.empty(); }

}  // namespace

std::string to_text(const Table& table) {
  const auto widest = widths(table);
  std::string text = table.title.empty() ? "" : table.title + "\n";
  if (has_grid(table)) text += text_line(table, headings(table), widest);
  for (const auto& row : table.rows) text += text_line(table, row, widest);
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text = table.title.empty() ? "" : "### " + escaped(table.title) + "\n\n";
  if (has_grid(table)) text += markdown_head(table);
  for (const auto& row : table.rows) text += markdown_line(row);
  if (has_grid(table) && !table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) text += "- " + escaped(note) + "\n";
  return text;
}

}  // namespace highwater
