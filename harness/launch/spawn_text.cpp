#include "harness/launch/spawn_text.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace highwater {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& set,
    const std::vector<std::string>& unset) {
  std::vector<std::string> replaced = unset;
  for (const auto& [name, value] : set) replaced.push_back(name);
  std::vector<std::string> entries;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto is_named = [&](const std::string& name) { return text.starts_with(name + "="); };
    if (std::ranges::none_of(replaced, is_named)) entries.emplace_back(text);
  }
  for (const auto& [name, value] : set) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace highwater
