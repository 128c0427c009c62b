#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "simgpu/device/capability.hpp"
#include "simgpu/device/profile.hpp"
#include "simgpu/device/stop.hpp"

namespace simgpu {
namespace {

using nlohmann::json;

constexpr int deepest = 64;  // a profile's own values are nested four times

/// The file with the name it has in messages.
struct Document {
  std::string path;
  json root;

  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError("the profile " + path + " " + what + ".");
  }

  const json& at(const std::string& key) const {
    if (!root.contains(key)) refuse("lacks the key '" + key + "'");
    return root[key];
  }

  std::string text(const json& object, const std::string& key, const std::string& where) const {
    if (!object.contains(key) || !object[key].is_string() || object[key].get<std::string>().empty())
      refuse("has no text under the key '" + key + "'" + where);
    return object[key].get<std::string>();
  }

  std::int64_t integer(const ProfileField& field) const {
    const std::string key = field.key;
    const json& value = at(key);
    if (!value.is_number_integer()) refuse("has no whole number under the key '" + key + "'");
    const auto number = value.get<std::int64_t>();
    if (number < field.minimum || number > field.maximum)
      refuse("has " + value.dump() + " under the key '" + key + "', which must be from " +
             std::to_string(field.minimum) + " to " + std::to_string(field.maximum));
    return number;
  }
};

// Printing a value nested a hundred thousand times overflows the stack.
json::parser_callback_t refuse_deep_values(const Document& document) {
  return [&document](int depth, json::parse_event_t, json&) {
    if (depth > deepest) document.refuse("has values that are nested too deep");
    return true;
  };
}

Document open_document(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ConfigError("the profile " + path + " (SIMGPU_PROFILE) cannot be opened.");
  Document document{path, {}};
  document.root = json::parse(file, refuse_deep_values(document), /*allow_exceptions=*/false);
  if (!document.root.is_object()) document.refuse("is not a JSON object");
  return document;
}

void refuse_unknown_keys(const Document& document) {
  const auto known = [](const std::string& key) {
    return key == "name" || key == "sources" ||
           std::ranges::any_of(profile_fields(),
                               [&](const ProfileField& field) { return key == field.key; });
  };
  for (const auto& item : document.root.items())
    if (!known(item.key())) document.refuse("has the unknown key '" + item.key() + "'");
}

constexpr std::array<std::string_view, 3> bases = {"published", "measured", "estimate"};

/// The keys that one source speaks for.
std::vector<std::string> source_keys(const Document& document, const json& source) {
  if (!source.is_object() || !source.contains("keys") || !source["keys"].is_array() ||
      source["keys"].empty())
    document.refuse("has a source without a list of 'keys'");
  for (const json& key : source["keys"])
    if (!key.is_string() || key == "sources" || !document.root.contains(key.get<std::string>()))
      document.refuse("has a source for " + key.dump() + ", which is no key of the file");
  return source["keys"].get<std::vector<std::string>>();
}

ProfileSource read_source(const Document& document, const json& source) {
  const std::string where = " of a source";
  ProfileSource read{source_keys(document, source), document.text(source, "basis", where),
                     document.text(source, "text", where)};
  if (std::ranges::find(bases, read.basis) == bases.end())
    document.refuse("has a source of the basis '" + read.basis +
                    "', which must be published, measured or estimate");
  for (const auto& item : source.items())
    if (item.key() != "keys" && item.key() != "basis" && item.key() != "text")
      document.refuse("has the unknown key '" + item.key() + "'" + where);
  return read;
}

std::vector<ProfileSource> read_sources(const Document& document) {
  const json& list = document.at("sources");
  if (!list.is_array() || list.empty())
    document.refuse("has no list of sources under the key 'sources'");
  std::vector<ProfileSource> sources;
  for (const json& source : list) sources.push_back(read_source(document, source));
  return sources;
}

/// The file's own value, else what the capability says. The capability is read by then: its fields
/// come first in the table.
std::int64_t read_field(const Document& document, const Profile& profile,
                        const ProfileField& field) {
  if (document.root.contains(field.key)) return document.integer(field);
  const auto value = capability_value(architecture(profile), field.member);
  if (value) return *value;
  if (std::ranges::find(capability_fields(), field.member) != capability_fields().end())
    document.refuse("lacks the key '" + std::string(field.key) +
                    "', which is not known for its compute capability");
  document.refuse("lacks the key '" + std::string(field.key) + "'");
}

}  // namespace

Profile load_profile(const std::string& path) {
  const Document document = open_document(path);
  refuse_unknown_keys(document);
  Profile profile;
  profile.name = document.text(document.root, "name", "");
  profile.sources = read_sources(document);
  for (const ProfileField& field : profile_fields())
    profile.*field.member = read_field(document, profile, field);
  if (profile.total_memory_bytes <= profile.context_bytes)
    document.refuse("has 'context_bytes' not below 'total_memory_bytes'");
  return profile;
}

}  // namespace simgpu
