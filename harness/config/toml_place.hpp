#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace highwater {

/// @throws std::logic_error.
[[noreturn]] void break_off_toml(const char* condition);

}  // namespace highwater

// Version 3.3.0 aborts by an assertion on texts that it forgot to refuse, such as "[.a]". As
// exceptions its assertions become errors of the file.
#define TOML_ASSERT(condition) ((condition) ? void() : ::highwater::break_off_toml(#condition))
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "harness/core/bytes.hpp"

namespace highwater {

/// A TOML value with what its errors need: the file and the path of keys that led to it.
struct Place {
  const std::string& file;
  std::string path;
  const toml::node& node;

  /// "file:line: path: message".
  [[noreturn]] void refuse(const std::string& message) const;
  /// An unknown key of this table, with the nearest known ones.
  [[noreturn]] void refuse_key(const toml::key& key, const std::vector<std::string>& known) const;
};

/// @throws UsageError "file:line: ..." where it is not TOML.
toml::table parse_toml(std::string_view text, const std::string& file);

/// Each reads a value. @throws UsageError as Place::refuse where it is none.
std::string read_text(const Place& at);
Bytes read_size(const Place& at);

}  // namespace highwater
