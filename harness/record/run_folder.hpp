#pragma once

#include <ctime>
#include <filesystem>
#include <string>

#include "harness/core/file_lock.hpp"

namespace highwater {

/// Where a run's parts lie in its folder.
std::filesystem::path records_path(const std::filesystem::path& run);
std::filesystem::path report_path(const std::filesystem::path& run);

/// "2026-01-31T12:00:00Z".
std::string utc_text(std::time_t time);

/// Proves that files can be written below `runs` (created where absent) and that there is space.
/// @throws UsageError naming the folder and the system's reason.
void check_writable(const std::filesystem::path& runs);

/// Creates runs/<YYYYmmdd-HHMMSS>, or the same with "-1", "-2", ... where that exists.
std::filesystem::path create_run_folder(const std::filesystem::path& runs, std::time_t time);

/// Who writes into a run's folder holds this lock; a run that was just killed is waited for.
/// @throws UsageError naming the process that holds it.
FileLock lock_run_folder(const std::filesystem::path& run);

/// The run below `runs` that began last, whether or not it ended.
/// @throws UsageError where there is none.
std::filesystem::path newest_run(const std::filesystem::path& runs);

/// Points runs/latest at a run folder, in one step. Where that cannot be done, nothing is left
/// behind.
/// @throws UsageError naming both and the system's reason.
void point_latest_at(const std::filesystem::path& run);

}  // namespace highwater
