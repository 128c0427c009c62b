#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/compare/verdict.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// What became of one row: a word, and a sentence for people where the word does not say it all.
struct RowVerdict {
  std::string word;
  std::string why;

  std::string text() const { return why.empty() ? word : word + ": " + why; }
  bool operator==(const RowVerdict&) const = default;
};

/// "-" where there is no verdict on a measured cell.
RowVerdict row_verdict(const CellRecord& record, std::span<const Verdict> verdicts);

/// A row of a table: what it is called there, and what became of it.
struct NamedVerdict {
  std::string name;
  RowVerdict verdict;
};

/// Whether the row is left out of its table: of a skipped one there is nothing but the reason.
bool is_left_out(const RowVerdict& verdict);

/// Sentences that would fill many rows of one table, each once: those of rows that are left out,
/// with their names, and those that several rows share, with their number.
std::vector<std::string> shared_sentences(const std::vector<NamedVerdict>& rows);

/// The verdict as its row shows it: without the sentence, where that is a shared one.
std::string shown_verdict(const RowVerdict& verdict, const std::vector<NamedVerdict>& rows);

}  // namespace highwater
