#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "harness/compare/verdict.hpp"
#include "harness/record/record.hpp"

namespace highwater {

/// What to do about verdicts that are not passes, by remedy, each with the file and the command:
/// baseline files and the command that updates them, the one that approves a new level, the one
/// that removes rows of cells that left the suite; for cells that no baseline helps the run's
/// records and, for each, the command that looks into it. Empty where there is nothing to do.
/// @param run_path the run's folder, or its records.jsonl.
std::string advice(const RunRecord& run, std::span<const Verdict> verdicts,
                   const std::filesystem::path& baselines, const std::filesystem::path& run_path);

/// The files of two runs that differ and, for each cell that does, the command that looks into it;
/// verdicts are those of `after` held against the other run. Empty where none differs.
std::string compare_advice(const RunRecord& after, std::span<const Verdict> verdicts,
                           const std::filesystem::path& before_path,
                           const std::filesystem::path& after_path);

/// "highwater baseline accept RUN --baselines FOLDER --reason "..."", with this flag.
std::string accept_command(const std::filesystem::path& run_path,
                           const std::filesystem::path& baselines, std::string_view flag = "");

}  // namespace highwater
