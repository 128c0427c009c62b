#include "harness/page/profile_table.hpp"

namespace highwater {

std::size_t TextTable::place_of(const std::string& text) {
  const auto [found, is_new] = places_.try_emplace(text, texts_.size());
  if (is_new) texts_.push_back(text);
  return found->second;
}

std::size_t ProfileTable::place_of(const PeakPart& part) {
  const auto number = [](std::size_t place) { return static_cast<std::int64_t>(place); };
  const Row row = {number(categories_.place_of(part.category)),
                   number(phases_.place_of(part.phase)),
                   number(modules_.place_of(part.module)),
                   number(operators_.place_of(part.op)),
                   part.blocks,
                   part.bytes};
  const auto [found, is_new] = places_.try_emplace(row, rows_.size());
  if (is_new) rows_.push_back(row);
  return found->second;
}

std::vector<std::size_t> ProfileTable::add(const PeakProfile& profile) {
  std::vector<std::size_t> runs;
  for (const PeakPart& part : profile) {
    const std::size_t place = place_of(part);
    const bool follows = !runs.empty() && runs[runs.size() - 2] + runs.back() == place;
    if (follows) {
      ++runs.back();
    } else {
      runs.insert(runs.end(), {place, 1});
    }
  }
  return runs;
}

void ProfileTable::write(nlohmann::ordered_json& document) const {
  document["categories"] = categories_.texts();
  document["phases"] = phases_.texts();
  document["modules"] = modules_.texts();
  document["operators"] = operators_.texts();
  std::vector<std::int64_t> numbers;
  for (const Row& row : rows_) numbers.insert(numbers.end(), row.begin(), row.end());
  document["parts"] = std::move(numbers);
}

}  // namespace highwater
