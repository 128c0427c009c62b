#include "harness/record/profile_file.hpp"

#include <fmt/format.h>

#include <span>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/record/json_lines.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

}  // namespace

fs::path profiles_path(const fs::path& folder, std::string_view testbed, std::string_view suite) {
  return folder / testbed / fmt::format("{}.profiles.jsonl", suite);
}

std::string profiles_text(const Profiles& profiles) {
  OrderedJson first;
  first["schema"] = kProfileSchema;
  std::string text = first.dump() + "\n";
  for (const auto& [cell, profile] : profiles) {
    OrderedJson line;
    line["cell"] = cell;
    line["profile"] = profile_to_json(profile);
    text += line.dump() + "\n";
  }
  return text;
}

Profiles read_profiles(const fs::path& path) {
  if (!fs::exists(path)) return {};
  const std::string text = read_file(path);
  const auto lines = json_lines(path, text);
  if (lines.empty()) {
    throw UsageError(path.string() +
                     ":1: the file is empty; restore it, or remove it and accept a run");
  }
  refuse_conflict_marker(lines.front());
  check_schema(lines.front(), lines.front().parse(), kProfileSchema);
  Profiles profiles;
  for (const JsonLine& line : std::span(lines).subspan(1)) {
    refuse_conflict_marker(line);
    const nlohmann::json json = line.parse();
    refuse_unknown_keys(line, json, {"cell", "profile"});
    auto [cell, profile] = line.reading([&] {
      return std::pair(json.at("cell").get<std::string>(), profile_from_json(json.at("profile")));
    });
    if (!profiles.empty() && profiles.rbegin()->first >= cell) {
      line.refuse(cell + " stands twice or is out of order; cells are sorted");
    }
    profiles.emplace(std::move(cell), std::move(profile));
  }
  return profiles;
}

}  // namespace highwater
