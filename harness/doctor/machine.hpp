#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/bytes.hpp"
#include "harness/core/install_paths.hpp"

namespace highwater {

/// What the checks look at.
struct Machine {
  InstallPaths paths;
  std::filesystem::path cache;    ///< where scripts/setup.sh unpacks what it downloads
  const std::atomic<bool>* stop;  ///< ends processes that a check has started
};

/// HIGHWATER_CACHE, or highwater/ in the user's cache folder: the rule of scripts/environment.sh.
std::filesystem::path cache_folder();

/// Where a program of this name lies on PATH.
std::optional<std::filesystem::path> program_on_path(std::string_view name);

/// The first folder of the cache whose name starts with `prefix` and that holds `inside`, in
/// reverse order of names: the newest version.
std::optional<std::filesystem::path> cached(const std::filesystem::path& cache,
                                            std::string_view prefix,
                                            const std::filesystem::path& inside);

/// Bytes of all files below, as their sizes say; what cannot be read counts nothing.
Bytes folder_bytes(const std::filesystem::path& folder);

/// The value of an environment variable, or nothing where it is unset or empty.
std::optional<std::string> environment_value(const char* name);

}  // namespace highwater
