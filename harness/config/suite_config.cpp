#include "harness/config/suite_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "harness/config/toml_place.hpp"
#include "harness/core/error.hpp"
#include "harness/core/files.hpp"
#include "harness/core/nearest.hpp"

namespace highwater {
namespace {

template <typename Target>
struct Key {
  const char* name;
  std::function<void(Target&, const Place&)> read;
};

template <typename Target>
[[noreturn]] void refuse_key(const std::vector<Key<Target>>& keys, const Place& at,
                             const toml::key& key) {
  std::vector<std::string> names;
  for (const Key<Target>& row : keys) names.emplace_back(row.name);
  at.refuse_key(key, names);
}

template <typename Target>
void read_table(Target& target, const Place& at, const std::vector<Key<Target>>& keys) {
  const toml::table* table = at.node.as_table();
  if (table == nullptr) at.refuse("must be a table");
  for (const auto& [key, node] : *table) {
    const auto row = std::ranges::find(keys, key.str(), &Key<Target>::name);
    if (row == keys.end()) refuse_key(keys, at, key);
    const std::string path = at.path.empty() ? row->name : fmt::format("{}.{}", at.path, row->name);
    row->read(target, Place{at.file, path, node});
  }
}

std::vector<std::string> read_texts(const Place& at) {
  const toml::array* array = at.node.as_array();
  if (array == nullptr) at.refuse("must be a list of texts");
  std::vector<std::string> texts;
  for (const toml::node& node : *array) texts.push_back(read_text({at.file, at.path, node}));
  return texts;
}

int read_count(const Place& at) {
  const auto number = at.node.value_exact<std::int64_t>();
  if (!number || *number < 1 || *number > std::numeric_limits<int>::max()) {
    at.refuse("must be a whole number of at least 1");
  }
  return static_cast<int>(*number);
}

template <typename Target>
Key<Target> text_key(const char* name, std::string Target::*member) {
  return {name, [member](Target& target, const Place& at) { target.*member = read_text(at); }};
}

template <typename Target>
Key<Target> texts_key(const char* name, std::vector<std::string> Target::*member) {
  return {name, [member](Target& target, const Place& at) { target.*member = read_texts(at); }};
}

Key<Protocol> count_key(const char* name, int Protocol::*member) {
  return {name, [member](Protocol& target, const Place& at) { target.*member = read_count(at); }};
}

template <typename Target>
Key<Target> bytes_key(const char* name, Bytes Target::*member) {
  return {name, [member](Target& target, const Place& at) { target.*member = read_size(at); }};
}

template <typename Target>
Key<Target> factor_key(const char* name, double Target::*member) {
  return {name, [member](Target& target, const Place& at) {
            const auto number = at.node.value<double>();
            if (!number || !(*number > 0)) at.refuse("must be a number above 0");
            target.*member = *number;
          }};
}

template <typename Target, typename Part>
Key<Target> tables_key(const char* name, std::vector<Part> Target::*member,
                       std::vector<Key<Part>> keys) {
  return {name, [member, keys = std::move(keys)](Target& target, const Place& at) {
            const toml::array* array = at.node.as_array();
            if (array == nullptr) at.refuse("must be a list of tables");
            for (const toml::node& node : *array) {
              read_table((target.*member).emplace_back(), Place{at.file, at.path, node}, keys);
            }
          }};
}

template <typename Target, typename Part>
Key<Target> table_key(const char* name, Part Target::*member, std::vector<Key<Part>> keys) {
  return {name, [member, keys = std::move(keys)](Target& target, const Place& at) {
            read_table(target.*member, at, keys);
          }};
}

std::vector<Key<Selection>> selection_keys() {
  return {texts_key("tags", &Selection::tags), texts_key("names", &Selection::names)};
}

std::vector<Key<PublishedNumber>> published_keys() {
  return {text_key("cell", &PublishedNumber::cell),
          text_key("against", &PublishedNumber::against),
          text_key("setting", &PublishedNumber::setting),
          text_key("printed", &PublishedNumber::printed),
          bytes_key("bytes", &PublishedNumber::bytes),
          factor_key("factor", &PublishedNumber::factor),
          texts_key("metrics", &PublishedNumber::metrics),
          bytes_key("outside", &PublishedNumber::outside),
          text_key("source", &PublishedNumber::source),
          text_key("differs", &PublishedNumber::differs)};
}

std::vector<Key<Protocol>> protocol_keys() {
  return {count_key("warmup_steps", &Protocol::warmup_steps),
          count_key("measured_steps", &Protocol::measured_steps),
          count_key("timed_steps", &Protocol::timed_steps),
          count_key("numerics_steps", &Protocol::numerics_steps),
          count_key("timeout_seconds", &Protocol::timeout_seconds)};
}

std::vector<Key<SuiteConfig>> suite_keys() {
  return {text_key("name", &SuiteConfig::name),
          text_key("summary", &SuiteConfig::summary),
          table_key("models", &SuiteConfig::models, selection_keys()),
          table_key("techniques", &SuiteConfig::techniques, selection_keys()),
          texts_key("devices", &SuiteConfig::devices),
          texts_key("presets", &SuiteConfig::presets),
          tables_key("published", &SuiteConfig::published, published_keys()),
          table_key("protocol", &SuiteConfig::protocol, protocol_keys())};
}

bool is_empty(const Selection& selection) {
  return selection.tags.empty() && selection.names.empty();
}

void check_complete(const SuiteConfig& suite, const std::string& file) {
  const bool selects = suite.published.empty();
  const std::pair<const char*, bool> required[] = {
      {"name", suite.name.empty()},
      {"models", selects && is_empty(suite.models)},
      {"techniques", selects && is_empty(suite.techniques)},
      {"devices", selects && suite.devices.empty()}};
  for (const auto& [key, absent] : required) {
    if (absent) throw UsageError(fmt::format("{}: the key {} is absent or empty", file, key));
  }
}

// It names the file of its baselines, and records name it again.
void check_name(const SuiteConfig& suite, const std::string& file) {
  if (is_plain_name(suite.name)) return;
  throw UsageError(
      fmt::format("{}: name = \"{}\": use letters, digits and . _ + - only", file, suite.name));
}

void check_published(const SuiteConfig& suite, const std::string& file) {
  for (const PublishedNumber& number : suite.published) {
    const std::pair<const char*, bool> required[] = {
        {"cell", number.cell.empty()},
        {"setting", number.setting.empty()},
        {"printed", number.printed.empty()},
        {"bytes", number.bytes <= 0 && number.factor <= 0},
        {"against", number.factor > 0 && number.against.empty()},
        {"metrics", number.metrics.empty()},
        {"source", number.source.empty()}};
    for (const auto& [key, absent] : required) {
      if (!absent) continue;
      throw UsageError(
          fmt::format("{}: published number \"{}\" of {}: the key {} is absent or empty", file,
                      number.printed, number.cell, key));
    }
  }
}

// docs/method.md: fewer warm-up steps would measure before optimizer state meets activations.
void check_protocol(const Protocol& protocol, const std::string& file) {
  if (protocol.warmup_steps < 2 || protocol.measured_steps < 2) {
    throw UsageError(file + ": protocol: warmup_steps and measured_steps must be at least 2");
  }
}

}  // namespace

SuiteConfig parse_suite(std::string_view text, const std::string& file) {
  const toml::table table = parse_toml(text, file);
  SuiteConfig suite;
  read_table(suite, Place{file, "", table}, suite_keys());
  check_complete(suite, file);
  check_name(suite, file);
  check_published(suite, file);
  check_protocol(suite.protocol, file);
  return suite;
}

std::vector<std::string> suite_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

SuiteConfig read_suite(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path own = name;
  if (own.extension() == ".toml") {
    return read_suite(std::filesystem::absolute(own).parent_path(), own.stem().string());
  }
  const auto names = suite_names(folder);
  if (std::ranges::find(names, name) == names.end()) {
    throw UsageError(unknown_name("suite", name, names) + " (suites are the files " +
                     folder.string() + "/*.toml)");
  }
  const auto path = folder / (name + ".toml");
  SuiteConfig suite = parse_suite(read_file(path), path.string());
  if (suite.name != name) {
    throw UsageError(fmt::format("{}: name = \"{}\" must equal the file's name \"{}\"",
                                 path.string(), suite.name, name));
  }
  return suite;
}

}  // namespace highwater
