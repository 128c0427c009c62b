#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/measure/peak_profile.hpp"

namespace highwater {

/// Texts, each once, by the order in which they first came.
class TextTable {
 public:
  std::size_t place_of(const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<std::string> texts_;
};

/// Profiles of many cells without what they have in common: in suite `full` eight of nine parts
/// are another cell's too.
class ProfileTable {
 public:
  /// Adds a folded profile. Returns it as runs of places: [first, number, first, number, ...].
  std::vector<std::size_t> add(const PeakProfile& profile);

  /// Sets "categories", "phases", "modules", "operators" and "parts" of page_document().
  void write(nlohmann::ordered_json& document) const;

 private:
  using Row = std::array<std::int64_t, 6>;

  std::size_t place_of(const PeakPart& part);

  TextTable categories_;
  TextTable phases_;
  TextTable modules_;
  TextTable operators_;
  std::map<Row, std::size_t> places_;
  std::vector<Row> rows_;
};

}  // namespace highwater
