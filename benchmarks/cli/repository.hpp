#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace highwater::cli {

/// The git repository that holds a folder, by its `.git`; absolute, links resolved.
std::optional<std::filesystem::path> find_repository(const std::filesystem::path& folder);

/// What git's log says of a suite's baseline files, newest first, as row_history reads it. Nothing
/// of the arguments can be taken for an option, and no shell is asked.
/// @param suite a plain name (core/files.hpp).
/// @throws UsageError where the folder is in no repository, there is no git, or it fails.
std::string baseline_log(const std::filesystem::path& folder, const std::string& suite);

}  // namespace highwater::cli
