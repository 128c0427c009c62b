#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/config/protocol.hpp"
#include "harness/core/bytes.hpp"

namespace highwater {

/// Which entries of the catalogue an axis takes: all that carry one of the tags, then the names.
/// Tags are the rule, so that a new model or technique joins its suites by itself; names are for
/// compositions such as "a+b", which carry no tags.
struct Selection {
  std::vector<std::string> tags;
  std::vector<std::string> names;
};

/// A number that somebody published, and the cell that rebuilds its setting. With a second cell,
/// `against`, it is how much less the first takes: bytes saved, or a factor.
struct PublishedNumber {
  std::string cell;     ///< id
  std::string against;  ///< id; empty where the number is of one cell
  std::string setting;  ///< what was run, in the source's words
  std::string printed;  ///< the number as the source prints it
  Bytes bytes = 0;      ///< what that means
  double factor = 0;    ///< in place of bytes: `against` takes so many times what `cell` does
  /// Metrics of the cell whose sum it is, "-" before one that is subtracted.
  std::vector<std::string> metrics;
  /// Of `bytes`, what no allocator sees: the CUDA context, as the source states it.
  Bytes outside = 0;
  std::string source;
  std::string differs;  ///< what is known to differ from the source's machine
};

/// A named selection of cells, as its TOML file says it. Names are not checked here: that needs the
/// catalogue (matrix/expand.hpp).
struct SuiteConfig {
  std::string name;
  std::string summary;
  Selection models;
  Selection techniques;
  std::vector<std::string> devices;  ///< "accelerator", "cuda", "cpu" or "sim:<profile>"
  std::vector<std::string> presets;  ///< empty = the one that fits each device
  /// Where there are any, their cells are the suite and nothing is selected.
  std::vector<PublishedNumber> published;
  Protocol protocol;
};

/// @param file names the text in errors.
/// @throws UsageError "file:line: ..." on malformed TOML, a wrong type, or an unknown key (with its
/// path and the nearest valid keys).
SuiteConfig parse_suite(std::string_view text, const std::string& file);

/// Names of the suites in a folder, sorted.
std::vector<std::string> suite_names(const std::filesystem::path& folder);

/// @param name of a file in the folder, or the path of one elsewhere, "mine/suite.toml".
/// @throws UsageError with the nearest suite names, or what is wrong with the file.
SuiteConfig read_suite(const std::filesystem::path& folder, const std::string& name);

}  // namespace highwater
