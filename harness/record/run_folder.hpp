#pragma once

#include <ctime>
#include <filesystem>
#include <string>

namespace highwater {

/// "2026-01-31T12:00:00Z".
std::string utc_text(std::time_t time);

/// Proves that files can be written below `runs` (created where absent) and that there is space.
/// @throws UsageError naming the folder and the system's reason.
void check_writable(const std::filesystem::path& runs);

/// Creates runs/<YYYYmmdd-HHMMSS>, or the same with "-1", "-2", ... where that exists.
std::filesystem::path create_run_folder(const std::filesystem::path& runs, std::time_t time);

/// Points runs/latest at a run folder, in one step. Where that cannot be done, nothing is left
/// behind.
/// @throws UsageError naming both and the system's reason.
void point_latest_at(const std::filesystem::path& run);

}  // namespace highwater
