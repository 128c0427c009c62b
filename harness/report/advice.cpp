#include "harness/report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/shell_word.hpp"
#include "harness/record/run_folder.hpp"

namespace highwater {
namespace {

namespace fs = std::filesystem;
using enum VerdictKind;

bool is_file(const fs::path& run_path) { return run_path.extension() == ".jsonl"; }

std::string records_line(const fs::path& run_path) {
  const fs::path records = is_file(run_path) ? run_path : records_path(run_path);
  return "  file:    " + records.string() + "\n";
}

/// Baseline files of the verdicts that this remedy helps, each once, as indented lines.
std::string file_lines(const RunRecord& run, std::span<const Verdict> verdicts, Remedy remedy,
                       const fs::path& baselines) {
  std::set<std::string> files;
  for (const Verdict& verdict : verdicts) {
    if (verdict.remedy != remedy) continue;
    files.insert(baseline_path(baselines, verdict.testbed, run.header.suite).string());
  }
  std::string text;
  for (const std::string& file : files) text += "  file:    " + file + "\n";
  return text;
}

std::string inspect_command(const Cell& cell) {
  std::string text =
      fmt::format("highwater inspect {} {} --preset {} --device {}", shell_word(cell.model),
                  shell_word(cell.technique), shell_word(cell.preset), shell_word(cell.device));
  if (cell.batch) text += fmt::format(" --batch {}", *cell.batch);
  if (cell.capacity) text += fmt::format(" --capacity {}B", *cell.capacity);
  return text;
}

/// What shows more of a cell: of one that has no row, a measurement.
std::string look_command(const RunRecord& run, const std::string& cell, const fs::path& run_path) {
  if (const CellRecord* record = find_record(run, cell)) return inspect_command(record->cell);
  const auto planned = planned_cells(run.header).value_or(std::vector<std::string>());
  if (std::ranges::find(planned, cell) == planned.end())
    return "highwater run --filter " + shell_word(cell);
  const fs::path folder = is_file(run_path) ? run_path.parent_path() : run_path;
  return "highwater run --resume " + shell_word(folder.string());
}

/// A line "cell: command" for each verdict that has a command.
template <typename Command>
std::string cell_lines(std::span<const Verdict> verdicts, const Command& command) {
  std::string lines;
  for (const Verdict& verdict : verdicts) {
    const std::string text = command(verdict);
    if (!text.empty()) lines += fmt::format("  {}: {}\n", verdict.cell, text);
  }
  return lines;
}

std::string section(std::string_view title, const std::string& files, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("{}\n{}{}", title, files, lines);
}

/// For cells that no baseline helps.
std::string sections_of_cells(const RunRecord& run, std::span<const Verdict> verdicts,
                              const fs::path& run_path) {
  const auto repair = [&](const Verdict& verdict) {
    const bool concerned = verdict.remedy == Remedy::repair;
    return concerned ? look_command(run, verdict.cell, run_path) : "";
  };
  const auto repeat = [](const Verdict& verdict) {
    return verdict.kind == ambiguous ? "highwater noise --filter " + shell_word(verdict.cell) : "";
  };
  const auto compare = [&](const Verdict& verdict) {
    const bool concerned = verdict.remedy == Remedy::none &&
                           (verdict.kind == new_cell || verdict.kind == incomparable);
    return concerned ? "highwater compare OTHER_RUN " + shell_word(run_path.string()) : "";
  };
  const std::string file = records_line(run_path);
  return section("These cannot be accepted; find what is wrong and fix it:", file,
                 cell_lines(verdicts, repair)) +
         section("One run cannot tell whether these moved; measure them again:", file,
                 cell_lines(verdicts, repeat)) +
         section(
             "No suite holds cells of another batch or capacity, so they have no baseline; hold "
             "two runs against each other:",
             file, cell_lines(verdicts, compare));
}

}  // namespace

std::string accept_command(const fs::path& run_path, const fs::path& baselines,
                           std::string_view flag) {
  return fmt::format("highwater baseline accept {} --baselines {}{}{} --reason \"...\"",
                     shell_word(run_path.string()), shell_word(baselines.string()),
                     flag.empty() ? "" : " ", flag);
}

std::string advice(const RunRecord& run, std::span<const Verdict> verdicts,
                   const fs::path& baselines, const fs::path& run_path) {
  std::string text;
  const auto add = [&](Remedy remedy, std::string_view title, std::string_view flag) {
    const std::string files = file_lines(run, verdicts, remedy, baselines);
    if (files.empty()) return;
    text += fmt::format("{}\n{}  command: {}\n", title, files,
                        accept_command(run_path, baselines, flag));
  };
  add(Remedy::accept, "If the change is meant, update the baseline and commit it:", "");
  add(Remedy::anchor,
      "Too far above the level that was last approved to be accepted row by row; if the new level "
      "is meant, approve it and commit it:",
      "--new-anchor");
  add(Remedy::prune,
      "If the missing cells are gone from the suite, remove their rows and commit it:", "--prune");
  return text + sections_of_cells(run, verdicts, run_path);
}

std::string compare_advice(const RunRecord& after, std::span<const Verdict> verdicts,
                           const fs::path& before_path, const fs::path& after_path) {
  const auto look = [&](const Verdict& verdict) {
    const ExitCode code = verdict_row(verdict.kind).code;
    const bool passes = code == ExitCode::ok || code == ExitCode::skipped;
    return passes ? "" : look_command(after, verdict.cell, after_path);
  };
  return section("Look into what differs:", records_line(before_path) + records_line(after_path),
                 cell_lines(verdicts, look));
}

}  // namespace highwater
