#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "harness/measure/peak_profile.hpp"

namespace highwater {

inline constexpr std::string_view kProfileSchema = "highwater.profiles/1";

/// What the accepted peaks are made of, by cell.
using Profiles = std::map<std::string, PeakProfile>;

/// results/baselines/<testbed>/<suite>.profiles.jsonl, beside the baselines of the suite: line 1
/// names the schema, then one line a cell, sorted.
std::filesystem::path profiles_path(const std::filesystem::path& folder, std::string_view testbed,
                                    std::string_view suite);

/// The file's whole text.
std::string profiles_text(const Profiles& profiles);

/// None where there is no such file: the gate then cannot say what grew.
/// @throws UsageError "file:line: ..." on malformed lines, another schema, and cells that stand
/// twice or out of order.
Profiles read_profiles(const std::filesystem::path& path);

}  // namespace highwater
