#include "harness/matrix/catalog.hpp"

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelEntry, name, summary, tags, presets, needs, abilities)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterEntry, name, meaning, value, smallest)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TechniqueEntry, name, summary, relieves, scenario, when, cost,
                                   numerics, tolerance, leaks, source, tags, edits, excludes, needs,
                                   parameter, not_on_cpu)

namespace {

template <typename Entry>
const Entry& find_entry(const std::vector<Entry>& entries, const std::string& name,
                        std::string_view kind) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  if (found != entries.end()) return *found;
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  throw UsageError(unknown_name(kind, name, names));
}

}  // namespace

void to_json(nlohmann::json& json, const Catalog& catalog) {
  json = {{"models", catalog.models}, {"techniques", catalog.techniques}};
}

void from_json(const nlohmann::json& json, Catalog& catalog) {
  json.at("models").get_to(catalog.models);
  json.at("techniques").get_to(catalog.techniques);
}

Catalog read_catalog(const std::string& path) {
  constexpr const char* kAdvice =
      "; it is written when the core library is built: build the project again, or point "
      "HIGHWATER_PREFIX at an installation";
  try {
    return nlohmann::json::parse(read_file(path)).get<Catalog>();
  } catch (const UsageError& error) {
    throw UsageError(error.what() + std::string(kAdvice));
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(path + " is not a catalogue (" + error.what() + ")" + kAdvice);
  }
}

const ModelEntry& find_model(const Catalog& catalog, const std::string& name) {
  return find_entry(catalog.models, name, "model");
}

const TechniqueEntry& find_technique(const Catalog& catalog, const std::string& name) {
  return find_entry(catalog.techniques, name, "technique");
}

}  // namespace highwater
