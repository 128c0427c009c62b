#include <CLI/CLI.hpp>
#include <memory>

#include "benchmarks/cli/baseline_acceptance.hpp"
#include "benchmarks/cli/commands.hpp"
#include "harness/core/file_lock.hpp"
#include "harness/core/files.hpp"

namespace highwater::cli {
namespace {

// Reading and writing all files of a suite takes milliseconds.
constexpr std::chrono::seconds kPatience(10);

// Between reading the old rows and writing the new ones nobody else may do the same: the later
// would undo the earlier.
FileLock lock_baselines(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return {folder / ".lock", "the folder of baselines " + folder.string(), kPatience};
}

ExitCode accept(const AcceptFlags& flags) {
  const RunRecord run = read_run_to_accept(flags);
  const FileLock lock = lock_baselines(flags.baselines);
  const auto files = accept_files(run, flags);
  for (const FileAcceptance& file : files) {
    for (const auto& [name, text] : file.texts) {
      write_file_atomically(flags.baselines / name, text);
    }
  }
  return exit_code_of(files);
}

void add_accept(CLI::App& group, Action& action) {
  auto* command =
      group.add_subcommand("accept", "make a run's values the baseline, where they moved");
  auto flags = std::make_shared<AcceptFlags>();
  add_accept_flags(*command, *flags);
  command->callback([&action, flags] { action = [flags] { return accept(*flags); }; });
}

}  // namespace

void add_baseline(CLI::App& app, Action& action) {
  auto* group = app.add_subcommand("baseline", "maintain the committed baselines");
  group->require_subcommand(1);
  add_accept(*group, action);
  add_propose(*group, action);
  add_explain(*group, action);
}

}  // namespace highwater::cli
